"""A kernel as a C function: its statements, local variables and comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING, Any

from panhead.errors import ModelError
from panhead.runs.c_export.c_expressions import Expressions, literal, without_parentheses
from panhead.runs.c_export.c_types import (
    INT,
    ROW,
    VOID,
    ArrayType,
    RecordType,
    StructType,
    TupleType,
    Value,
    base_of,
    common,
    declare,
    empty,
    tuple_item,
)

if TYPE_CHECKING:
    from panhead.runs.c_export.c_program import Program, Source

_KEYWORDS = {"double", "float", "int", "short", "long", "register", "signed", "static", "const", "auto", "default"}


class FunctionWriter(Expressions):
    """Translator of one function for given types of its arguments."""

    def __init__(self, program: Program, source: Source, args: list[Value], locals_: dict[str, Any]) -> None:
        super().__init__(program, source.scope)
        self.source, self.types = source, locals_
        self.result: Any = None
        self.parameters: list[tuple[str, Value]] = []
        for name, arg in zip(source.parameters, args, strict=True):
            kind = arg.type
            pointer = isinstance(kind, RecordType | StructType)
            passed = is_passed(arg)
            code = _legal(name) if passed else arg.code
            self.names[name] = Value(kind, code, arg.known, pointer=pointer and passed, parts=arg.parts)
            if passed:
                self.parameters.append((code, self.names[name]))
        self.declared: set[str] = {name for name, _ in self.parameters}
        self.inline: set[str] = set()
        self.once = _assigned_once(source.tree)
        self.lines: list[str] = []
        self.depth, self.temporaries = 1, 0
        self.comments = _comments(source.text)
        self.ended = False

    def body(self) -> None:
        """Translate all statements."""
        statements = self.source.tree.body
        if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
            statements = statements[1:]
        self._sequence(statements)

    def _sequence(self, nodes: list[ast.stmt]) -> None:
        """Translate statements up to one after which nothing is reached."""
        for node in nodes:
            self.statement(node)
            if self.ended:
                return

    def statement(self, node: ast.stmt) -> None:
        """Translate a statement, after the comments before it."""
        for line in sorted(n for n in self.comments if n < node.lineno):
            self.emit(f"/* {self.comments.pop(line)} */")
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise ModelError(f"c export: no C for {ast.unparse(node)!r}")
        here = self.comments.pop(node.lineno, "")
        before = len(self.lines)
        method(node)
        if here and len(self.lines) > before:
            self.lines[before] += f" /* {here} */"

    def emit(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)

    def block(self, nodes: list[ast.stmt]) -> None:
        """Translate the statements inside braces."""
        self.depth += 1
        self._sequence(nodes)
        self.ended = False
        self.depth -= 1

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.emit(f"{self.value(node.value).code};")

    def _pass(self, node: ast.Pass) -> None:
        """Nothing to do."""

    def _break(self, node: ast.Break) -> None:
        self.ended = True
        self.emit("break;")

    def _continue(self, node: ast.Continue) -> None:
        self.ended = True
        self.emit("continue;")

    def _return(self, node: ast.Return) -> None:
        self.ended = True
        if node.value is None:
            self.result = self.result or VOID
            self.emit("return;")
            return
        found = self.value(node.value)
        self.result = common(self.result, found.type)
        if found.parts is None:
            self.emit(f"return {without_parentheses(found.code)};")
            return
        kind = self.program.result_of(self.source, self.result)
        self.program.tuples.setdefault(kind)
        self.emit(f"return {literal(Value(kind, '', parts=found.parts))};")

    def _temporary(self) -> str:
        self.temporaries += 1
        return f"both_{self.temporaries}"

    def _if(self, node: ast.If, word: str = "if") -> None:
        test = self.condition(node.test)
        if test.known is not None:
            self._sequence(node.body if test.known else node.orelse)
            return
        self.emit(f"{word} ({test.code}) {{")
        self.block(node.body)
        if node.orelse:
            self.emit("} else {")
            self.block(node.orelse)
        self.emit("}")

    def _while(self, node: ast.While) -> None:
        self.emit(f"while ({self.condition(node.test).code}) {{")
        self.block(node.body)
        self.emit("}")

    def _for(self, node: ast.For) -> None:
        first, stop, step = self._range(node.iter)
        if first.known is not None and stop.known is not None and first.known >= stop.known and step > 0:
            return
        name = _legal(node.target.id)  # type: ignore[attr-defined]
        self.names[name] = Value(INT, name)
        test, by = ("<", f"++{name}") if step > 0 else (">", f"--{name}")
        start = "" if name in self.types else "int "
        end = stop.code if "?" in stop.code else without_parentheses(stop.code)
        self.emit(f"for ({start}{name} = {without_parentheses(first.code)}; {name} {test} {end}; {by}) {{")
        self.block(node.body)
        self.emit("}")

    def _range(self, node: ast.expr) -> tuple[Value, Value, int]:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
            raise ModelError(f"c export: no C for a loop over {ast.unparse(node)!r}")
        args = [self.value(each) for each in node.args]
        if len(args) == 1:
            return self.constant(0), args[0], 1
        step = args[2].known if len(args) == 3 else 1
        if step not in (1, -1):
            raise ModelError(f"c export: no C for {ast.unparse(node)!r}")
        return args[0], args[1], step

    def _augassign(self, node: ast.AugAssign) -> None:
        sign = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.BitOr: "|="}[type(node.op)]
        self.emit(f"{self.value(node.target).code} {sign} {without_parentheses(self.value(node.value).code)};")

    def _assign(self, node: ast.Assign) -> None:
        targets = node.targets[0]
        value = self.value(node.value)
        if not isinstance(targets, ast.Tuple):
            if value.parts is not None:  # a tuple that is only passed on
                self.names[targets.id] = value  # type: ignore[attr-defined]
            else:
                self._store(targets, value)
            return
        if value.parts is None:
            value = self._stored_tuple(value)
        places, parts = targets.elts, list(value.parts or ())
        if _overwrites_operand(places, parts):
            parts = [self._kept(each) for each in parts]
        for place, part in zip(places, parts, strict=True):
            self._store(place, part)

    def _stored_tuple(self, value: Value) -> Value:
        name = self._temporary()
        self.emit(f"const {base_of(value.type)} {name} = {value.code};")
        parts = [tuple_item(value.type, name, self.constant(k)) for k in range(len(value.type.items))]
        return self.tuple_of(parts)

    def _kept(self, value: Value) -> Value:
        name = self._temporary()
        self.emit(f"const {declare(value.type, name)} = {without_parentheses(value.code)};")
        return Value(value.type, name)

    def _store(self, target: ast.expr, value: Value) -> None:
        if not isinstance(target, ast.Name):
            if _is_left_out(target):
                return
            self.emit(f"{self.value(target).code} = {without_parentheses(value.code)};")
            return
        name = self._local(target.id)
        if isinstance(value.type, StructType) and not value.type.passed:
            self.names[target.id] = value
            return
        kind = self.types[name] = common(self.types.get(name), value.type)
        pointer = isinstance(kind, RecordType | StructType)
        code = without_parentheses(value.code)
        if pointer and not value.pointer:
            code = f"&{code}"
        known = value.known if self.depth == 1 and target.id in self.once else None
        self.names[target.id] = Value(kind, name, known, pointer=pointer)
        if self.depth == 1 and name not in self.declared:
            self.declared.add(name)
            self.inline.add(name)
            self.emit(f"{declare(kind, name)} = {code};")
            return
        self.emit(f"{name} = {code};")

    def _local(self, name: str) -> str:
        """Name of a variable in C: not that of a function, which it would hide."""
        if name in self.program.functions and name not in self.declared:
            self.types.pop(name, None)
            return f"{name}_"
        return _legal(name)

    def text(self, name: str) -> str:
        """Whole function as C."""
        kinds = [declare(value.type, code) for code, value in self.parameters]
        result = self.program.result_of(self.source, self.result or VOID)
        rows = any("row4" in base_of(kind) for kind in (result, *(value.type for _, value in self.parameters)))
        inline = "RIG_INLINE" if rows else "static"  # rows stay in registers
        head = f"{inline} {base_of(result)} {name}({', '.join(kinds) or 'void'})"
        body = "\n".join(self._without_unused(self.lines))
        words = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/", "", body)))
        given = {code for code, _ in self.parameters}
        unused = [f"    (void){code};" for code, _ in self.parameters if code not in words]
        top = [
            f"    {declare(kind, each)} = {_zero(kind)};"
            for each, kind in sorted(self.types.items())
            if each not in self.inline | given and each in words
        ]
        return "\n".join([_comment(self.source.doc), head, "{", *unused, *top, body, "}", ""])

    def _without_unused(self, lines: list[str]) -> list[str]:
        """Lines without assignments to variables that nobody reads, and without empty branches."""
        while True:
            text = "\n".join(lines)
            left = []
            for line in lines:
                found = re.match(r"\s*(?:[\w ]*[\w*( ]+\W)?(\w+)\)?(?:\[\w+\])* = .*;$", line)
                name = found[1] if found else ""
                plain = "(" not in line.split("=", 1)[0].replace("(*", "")
                if name in self.types and plain and _writes_only(name, text):
                    continue
                left.append(line)
            if len(left) == len(lines):
                return left
            lines = left


def _writes_only(name: str, text: str) -> bool:
    """True if a variable occurs only on the left of assignments."""
    every = len(re.findall(rf"\b{name}\b", text))
    written = len(re.findall(rf"(?m)^[ \w*()]*\b{name}\)?(?:\[\w+\])* = ", text))
    return every == written


def _zero(kind: Any) -> str:
    if kind == ROW:
        return "row4_zero()"
    if isinstance(kind, ArrayType | RecordType | StructType):
        return "NULL"
    return "{0}" if isinstance(kind, TupleType) else "0"


def is_passed(arg: Value) -> bool:
    """True for an argument that is there in C: no constant object, no array without elements, no loose tuple."""
    constant = isinstance(arg.type, StructType) and not arg.type.passed
    return not constant and arg.parts is None and not empty(arg.type)


def _is_left_out(target: ast.expr) -> bool:
    """True for a field of bows, which are refused."""
    inner = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(inner, ast.Attribute) and inner.attr.startswith("bow")


def _assigned_once(tree: ast.FunctionDef) -> set[str]:
    """Names that are written at one place: what is known of them there is known everywhere."""
    written = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {name for name in written if written.count(name) == 1}


def _legal(name: str) -> str:
    return f"{name}_" if name in _KEYWORDS else name


def _overwrites_operand(places: list[ast.expr], parts: list[Value]) -> bool:
    """True if a value to the right needs something that is written before it."""
    texts = [ast.unparse(p) for p in places]
    simple = [re.sub(r".*\.", "", t) if "[" not in t else t for t in texts]
    for k, name in enumerate(simple):
        for part in parts[k + 1 :]:
            if re.search(rf"\b{re.escape(name.split('[')[0])}\b", part.code):
                return True
    return False


def _comments(text: str) -> dict[int, str]:
    """Comments of a source, by line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
    return {line: words for line, words in found.items() if not words.startswith(("type:", "fmt:"))}


def _comment(doc: str) -> str:
    lines = [line.rstrip() for line in doc.strip().splitlines()] or [""]
    if len(lines) == 1:
        return f"/* {lines[0]} */"
    return "\n".join(["/* " + lines[0], *(f" * {line}".rstrip() for line in lines[1:]), " */"])
