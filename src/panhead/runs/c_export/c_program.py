"""A C program from kernels: each function once for the types it is called with, callees before callers.

The step of the linear solver is described once, in ``runs/linear/step``. Here its text is read: the same functions, the
same order of operations, the same comments, in C99. Branches and loops of physics that a run lacks are left out.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panhead.errors import ModelError
from panhead.runs.c_export.c_expressions import Expressions, without_parentheses
from panhead.runs.c_export.c_function import FunctionWriter, is_passed
from panhead.runs.c_export.c_types import VOID, ArrayType, RecordType, StructType, TupleType, Value, tuple_struct


@dataclass(frozen=True, slots=True)
class Source:
    """Text of a kernel and the names it sees."""

    name: str
    module: str
    text: str
    tree: ast.FunctionDef
    doc: str
    parameters: tuple[str, ...]
    scope: Mapping[str, Any]


def source_of(function: Any) -> Source:
    """Read the text of a kernel, compiled or not."""
    plain = getattr(function, "py_func", function)
    text = textwrap.dedent(inspect.getsource(plain))
    tree = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    cells = [cell.cell_contents for cell in plain.__closure__ or ()]
    scope = plain.__globals__ | dict(zip(plain.__code__.co_freevars, cells, strict=True))
    names = tuple(a.arg for a in tree.args.args)
    return Source(tree.name, plain.__module__, text, tree, inspect.getdoc(plain) or "", names, scope)


class Program:
    """Functions, constants and types collected while kernels are translated."""

    def __init__(
        self,
        *,
        records: Mapping[str, Mapping[str, Any]],
        absent: frozenset[int],
        bounds: Mapping[str, int],
        single: bool = False,
    ) -> None:
        self.records, self.absent, self.bounds, self.single = records, absent, bounds, single
        self.functions: dict[str, str] = {}  #: C name → text, callees first
        self.modules: dict[str, str] = {}  #: C name → module it is from
        self.constants: dict[str, str] = {}
        self.tuples: dict[TupleType, None] = {}
        self._known: dict[Any, tuple[str, Any]] = {}
        self._results: dict[int, Any] = {}
        self._sources: dict[Any, Source] = {}

    def number(self, value: float) -> str:
        """A real literal, shortest text that gives its bits back."""
        if not self.single:
            return repr(value)
        return repr(min(max(value, -3e38), 3e38)) + "f"  # what is larger means: larger than all others

    def global_constant(self, own: Expressions, name: str, value: Any) -> Value:
        """A module constant of the solver: bounds of work are those of the export."""
        value = self.bounds.get(name, value)
        found = own.constant(value, name)
        known = f"#define {name} {own.constant(value).code}"
        if self.constants.setdefault(name, known) != known:
            raise ModelError(f"c export: the constant {name} has two values")
        return found

    def field(self, kind: RecordType, name: str) -> Any:
        """Type of a field of a table's row, or its value if all rows share it."""
        found = self.records[kind.name][name]
        return ArrayType(found.element, found.dims, kind.const) if isinstance(found, ArrayType) else found

    def never(self, own: Expressions, node: ast.Compare) -> bool:
        """True for a test for a kind of law that this run does not have."""
        if not (isinstance(node.left, ast.Attribute) and node.left.attr == "kind" and isinstance(node.ops[0], ast.Eq)):
            return False
        return own.value(node.comparators[0]).known in self.absent

    def result_of(self, source: Source, seen: Any) -> Any:
        """Type a function returns, as far as it is known."""
        return self._results.get(id(source.tree)) or seen

    def call(self, function: Any, args: list[Value]) -> Value:
        """Translate a call, and the function first if these types are new to it."""
        plain = getattr(function, "py_func", function)
        if plain not in self._sources:
            self._sources[plain] = source_of(function)
        source = self._sources[plain]
        fixed = tuple(a.known for a in args) if source.name == "energy" else ()
        key = plain, tuple(a.type for a in args), tuple(a.parts is not None for a in args), fixed
        if key not in self._known:
            self._translate(key, source, args, keep=bool(fixed))
        name, kind = self._known[key]
        given = [_argument_text(a) for a in args if is_passed(a)]
        return Value(kind, f"{name}({', '.join(given)})")

    def _translate(self, key: Any, source: Source, args: list[Value], *, keep: bool) -> None:
        plain = [Value(a.type, a.code, a.known if keep else None, a.pointer, a.parts) for a in args]
        types: dict[str, Any] = {}
        writer = FunctionWriter(self, source, plain, types)
        self._results.pop(id(source.tree), None)
        for _ in range(4):  # until no variable becomes a real that was taken for an integer
            before = dict(types)
            writer = FunctionWriter(self, source, plain, types)
            writer.body()
            settled = types == before and self._results.get(id(source.tree)) == (writer.result or VOID)
            self._results[id(source.tree)] = writer.result or VOID
            if settled:
                break
        name = source.name[1:] + "_part" if source.name.startswith("_") else source.name
        while name in self.functions:
            name = f"{name}_"
        if isinstance(writer.result, TupleType):
            self.tuples.setdefault(writer.result)
        self.functions[name] = writer.text(name)
        self.modules[name] = source.module
        self._known[key] = name, writer.result or VOID

    def text(self) -> str:
        """All functions, under the description of the module each is from."""
        told: set[str] = set()
        parts = [*(tuple_struct(kind) for kind in self.tuples), "", *self.constants.values(), ""]
        parts += [TURNED] if any("turned(" in text for text in self.functions.values()) else []
        for name, text in self.functions.items():
            module = self.modules[name]
            if module not in told:
                told.add(module)
                about = inspect.cleandoc(sys.modules[module].__doc__ or "").split("\n\nη, ")[0]
                lines = "\n".join(f" * {line}".rstrip() for line in about.splitlines())
                parts.append(f"/* ---- {module.removeprefix('panhead.')}\n *\n{lines}\n */\n")
            parts.append(text)
        return "\n".join(parts)


def _argument_text(arg: Value) -> str:
    code = without_parentheses(arg.code)
    if isinstance(arg.type, RecordType | StructType) and not arg.pointer:
        return f"&{code}"
    return code


TURNED = """\
/* Columns of the matrix with the rows v[0] ... v[3]. */
RIG_INLINE tuple_row4_row4_row4_row4 turned(tuple_row4_row4_row4_row4 a)
{
    const tuple_row4_row4_row4_row4 t = {{
        {{a.v[0].v[0], a.v[1].v[0], a.v[2].v[0], a.v[3].v[0]}},
        {{a.v[0].v[1], a.v[1].v[1], a.v[2].v[1], a.v[3].v[1]}},
        {{a.v[0].v[2], a.v[1].v[2], a.v[2].v[2], a.v[3].v[2]}},
        {{a.v[0].v[3], a.v[1].v[3], a.v[2].v[3], a.v[3].v[3]}}}};
    return t;
}
"""
