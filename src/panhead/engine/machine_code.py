"""Compile CasADi expressions to machine code: instruction lists become LLVM code, several elements at once.

A compiled function has the C signature ``void f(const double *x, double *y)``. Inputs and outputs are
interleaved in lanes: number i of lane l stands at ``x[i * stride + l]``, so that one processor instruction
serves all lanes: LANES elements of a family, or one where there is only one. No compiler is needed: LLVM comes
with Numba. Arithmetic is strict (nothing is reassociated), so results repeat bit for bit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, final

import casadi as ca
import llvmlite.binding as llvm
import numpy as np

from panhead.engine.external_calls import ExternalCall
from panhead.engine.kernels.element_families import LANES
from panhead.engine.kernels.machine_code_calls import call_over_samples
from panhead.errors import ModelError

_LONG = 8000  # instructions; above it LLVM takes seconds to save a part of the run time

_BINARY = {ca.OP_ADD: "fadd", ca.OP_SUB: "fsub", ca.OP_MUL: "fmul", ca.OP_DIV: "fdiv"}
_COMPARE = {ca.OP_LT: "olt", ca.OP_LE: "ole", ca.OP_EQ: "oeq", ca.OP_NE: "une"}
_INTRINSIC = {
    ca.OP_SQRT: "sqrt",
    ca.OP_FABS: "fabs",
    ca.OP_FLOOR: "floor",
    ca.OP_CEIL: "ceil",
    ca.OP_FMIN: "minnum",
    ca.OP_FMAX: "maxnum",
    ca.OP_COPYSIGN: "copysign",
}
_LIBRARY = {
    ca.OP_SIN: "sin",
    ca.OP_COS: "cos",
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_ATAN2: "atan2",
    ca.OP_SINH: "sinh",
    ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh",
    ca.OP_ASINH: "asinh",
    ca.OP_ACOSH: "acosh",
    ca.OP_ATANH: "atanh",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_LOG1P: "log1p",
    ca.OP_EXPM1: "expm1",
    ca.OP_ERF: "erf",
    ca.OP_POW: "pow",
    ca.OP_CONSTPOW: "pow",
    ca.OP_FMOD: "fmod",
}


@final
class MachineCode:
    """One compiled function; its code lives as long as this object."""

    def __init__(
        self, function: ca.Function, lanes: int = LANES, stride: int = LANES, stages: Sequence[_Stage] = ()
    ) -> None:
        self.inputs = function.numel_in(0)
        self.outputs, self.lanes = function.numel_out(0), lanes
        self._engine = _compile(_module(function, lanes, stride, stages))
        self.address = int(self._engine.get_function_address("f"))


@final
class _Stage(NamedTuple):
    """Statements before the outputs: the arguments of an external function, and its call."""

    arguments: ca.Function
    address: int
    results: int  # numbers that it writes


def machine_code(
    inputs: Sequence[ca.SX],
    outputs: Sequence[ca.SX],
    *,
    lanes: int = LANES,
    stride: int = LANES,
    calls: Sequence[ExternalCall] = (),
) -> MachineCode:
    """Compile the outputs, flattened row by row, as a function of the concatenated inputs.

    ``lanes=1, stride=1`` is a plain function of one vector into another. ``calls`` are the external functions that the
    outputs may depend on; those they do depend on are called first, in order.
    """
    flat = ca.vertcat(*(ca.reshape(ca.densify(e).T, e.numel(), 1) for e in outputs))
    x = ca.vertcat(*(ca.densify(symbol) for symbol in inputs))
    stages, known = _stages(x, flat, calls)
    function = ca.Function("f", [x, *known], [ca.densify(ca.cse(flat))], {"live_variables": False})
    return MachineCode(function, lanes, stride, stages)


def _stages(x: ca.SX, flat: ca.SX, calls: Sequence[ExternalCall]) -> tuple[list[_Stage], list[ca.SX]]:
    """Calls that the outputs depend on, in order, and the symbols that each fills."""
    orders: dict[int, int] = {}
    for k in range(len(calls) - 1, -1, -1):  # later calls may depend on earlier ones
        later = [calls[j].x for j in orders]
        order = max(calls[k].order(e) for e in (flat, *later))
        if order >= 0:
            orders[k] = order
    stages: list[_Stage] = []
    known: list[ca.SX] = []
    for k in sorted(orders):
        call, order = calls[k], orders[k]
        arguments = ca.Function("x", [x, *known], [ca.densify(call.x)], {"live_variables": False})
        known.append(call.results(order))
        stages.append(_Stage(arguments, call.function.address(order), known[-1].numel()))
    return stages, known


@final
class SampledCode:
    """Expressions over many samples: one compiled loop instead of one call per sample."""

    most: ClassVar[int] = 6  #: arrays of samples

    def __init__(self, inputs: Sequence[ca.SX], constants: ca.SX, outputs: Sequence[ca.SX]) -> None:
        self.code = machine_code([*inputs, constants], outputs)
        self._room = np.zeros(LANES * self.code.inputs), np.zeros(LANES * self.code.outputs)

    def __call__(self, samples: Sequence[np.ndarray], constants: np.ndarray) -> np.ndarray:
        """Outputs of every sample, (n, ·), from a row of each array in ``samples``, (n, k) each."""
        n = len(samples[0])
        rows = [np.ascontiguousarray(x, dtype=float) for x in samples]
        rows += [np.zeros((n, 0))] * (self.most - len(rows))
        out = np.empty((n, self.code.outputs))
        call_over_samples(self.code.address, tuple(rows), constants, *self._room, out)
        return out


@final
class _Writer:
    """LLVM assembly, one line after another; every value gets a fresh name."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.kind = "double" if lanes == 1 else f"<{lanes} x double>"
        self.flags = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.count = 0

    def value(self, text: str) -> str:
        self.count += 1
        name = f"%w{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def call(self, kind: str, name: str, arguments: Sequence[str]) -> str:
        """A call of a function of ``kind`` numbers, declared once."""
        types = ", ".join([kind] * len(arguments))
        self.declared.add(f"declare {kind} @{name}({types})")
        passed = ", ".join(f"{kind} {a}" for a in arguments)
        return self.value(f"call {kind} @{name}({passed})")

    def constant(self, number: float) -> str:
        """Return one number in every lane, exact: written by its bits."""
        bits = f"0x{_bits(number):016X}"
        if self.lanes == 1:
            return bits
        return "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"

    def truth(self, value: str) -> str:
        """Return a mask of the lanes that are not zero."""
        return self.value(f"fcmp une {self.kind} {value}, {self.constant(0.0)}")

    def number(self, flags: str) -> str:
        """1 in the lanes that hold, 0 in the others."""
        return self.choose(flags, self.constant(1.0), self.constant(0.0))

    def choose(self, flags: str, yes: str, no: str) -> str:
        return self.value(f"select {self.flags} {flags}, {self.kind} {yes}, {self.kind} {no}")

    def library(self, name: str, arguments: Sequence[str]) -> str:
        """A function of the C library, lane by lane; LLVM makes one call of sine and cosine of one angle."""
        name = f"llvm.{name}.f64" if name in ("sin", "cos") else name
        if self.lanes == 1:
            return self.call("double", name, arguments)
        result = "undef"
        for lane in range(self.lanes):
            one = [self.value(f"extractelement {self.kind} {a}, i32 {lane}") for a in arguments]
            y = self.call("double", name, one)
            result = self.value(f"insertelement {self.kind} {result}, double {y}, i32 {lane}")
        return result

    def external(self, address: int, arguments: Sequence[str], results: int) -> list[str]:
        """Results of ``void f(const double *x, double *y)`` at an address, lane by lane."""
        x, y = (self.value(f"alloca [{max(1, n)} x double], align 8") for n in (len(arguments), results))
        found = ["undef"] * results
        for lane in range(self.lanes):
            for k, a in enumerate(arguments):
                one = a if self.lanes == 1 else self.value(f"extractelement {self.kind} {a}, i32 {lane}")
                at = self.value(f"getelementptr double, ptr {x}, i64 {k}")
                self.lines.append(f"  store double {one}, ptr {at}, align 8")
            self.lines.append(f"  call void inttoptr (i64 {address} to ptr)(ptr {x}, ptr {y})")
            for k in range(results):
                at = self.value(f"getelementptr double, ptr {y}, i64 {k}")
                one = self.value(f"load double, ptr {at}, align 8")
                insert = f"insertelement {self.kind} {found[k]}, double {one}, i32 {lane}"
                found[k] = one if self.lanes == 1 else self.value(insert)
        return found


def _bits(number: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


def _module(function: ca.Function, lanes: int, stride: int, stages: Sequence[_Stage]) -> str:
    """The whole module: a straight line of instructions over lanes."""
    w = _Writer(lanes)
    known: list[list[str]] = []
    for stage in stages:
        arguments = [w.constant(0.0)] * stage.arguments.numel_out(0)
        _write(w, stage.arguments, stride, known, arguments)
        known.append(w.external(stage.address, arguments, stage.results))
    _write(w, function, stride, known)
    head = "define void @f(ptr noalias readonly %x, ptr noalias %y) {\n"
    return "\n".join(sorted(w.declared)) + "\n" + head + "\n".join(w.lines) + "\n  ret void\n}\n"


def _write(
    w: _Writer, function: ca.Function, stride: int, known: Sequence[Sequence[str]], outputs: list[str] | None = None
) -> None:
    """Write the instructions of a function of x and of numbers already ``known``; outputs go to y or to a list."""
    work: dict[int, str] = {}
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT and i[0]:
            work[o[0]] = known[i[0] - 1][i[1]]
        elif op == ca.OP_INPUT:
            pointer = w.value(f"getelementptr double, ptr %x, i64 {i[1] * stride}")
            work[o[0]] = w.value(f"load {w.kind}, ptr {pointer}, align 8")
        elif op == ca.OP_OUTPUT and outputs is not None:
            outputs[o[1]] = work[i[0]]
        elif op == ca.OP_OUTPUT:
            pointer = w.value(f"getelementptr double, ptr %y, i64 {o[1] * stride}")
            w.lines.append(f"  store {w.kind} {work[i[0]]}, ptr {pointer}, align 8")
        elif op == ca.OP_CONST:
            work[o[0]] = w.constant(float(function.instruction_constant(k)))
        else:
            work[o[0]] = _operation(w, op, [work[j] for j in i])


def _operation(w: _Writer, op: int, a: list[str]) -> str:
    """One instruction that is neither an input, an output nor a constant."""
    if op in _BINARY:
        return w.value(f"{_BINARY[op]} {w.kind} {a[0]}, {a[1]}")
    if op in _COMPARE:
        return w.number(w.value(f"fcmp {_COMPARE[op]} {w.kind} {a[0]}, {a[1]}"))
    if op in _INTRINSIC:
        return w.call(w.kind, f"llvm.{_INTRINSIC[op]}.{w.suffix}", a)
    if op in _LIBRARY:
        return w.library(_LIBRARY[op], a)
    if op in _SPECIAL:
        return _SPECIAL[op](w, a)
    raise ModelError(f"an expression uses CasADi's operation {op}, which cannot be compiled")


def _logic(word: str) -> Callable[[_Writer, list[str]], str]:
    return lambda w, a: w.number(w.value(f"{word} {w.flags} {w.truth(a[0])}, {w.truth(a[1])}"))


def _sign(w: _Writer, a: list[str]) -> str:
    zero = w.constant(0.0)
    positive = w.value(f"fcmp ogt {w.kind} {a[0]}, {zero}")
    negative = w.value(f"fcmp olt {w.kind} {a[0]}, {zero}")
    return w.choose(positive, w.constant(1.0), w.choose(negative, w.constant(-1.0), zero))


_SPECIAL: dict[int, Callable[[_Writer, list[str]], Any]] = {
    ca.OP_ASSIGN: lambda w, a: a[0],
    ca.OP_NEG: lambda w, a: w.value(f"fneg {w.kind} {a[0]}"),
    ca.OP_SQ: lambda w, a: w.value(f"fmul {w.kind} {a[0]}, {a[0]}"),
    ca.OP_TWICE: lambda w, a: w.value(f"fadd {w.kind} {a[0]}, {a[0]}"),
    ca.OP_INV: lambda w, a: w.value(f"fdiv {w.kind} {w.constant(1.0)}, {a[0]}"),
    ca.OP_NOT: lambda w, a: w.number(w.value(f"fcmp oeq {w.kind} {a[0]}, {w.constant(0.0)}")),
    ca.OP_AND: _logic("and"),
    ca.OP_OR: _logic("or"),
    ca.OP_IF_ELSE_ZERO: lambda w, a: w.choose(w.truth(a[0]), a[1], w.constant(0.0)),
    ca.OP_SIGN: _sign,
}


def _compile(assembly: str) -> Any:
    """An execution engine that holds the optimised module."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    # choosing registers takes more than linear time: long functions are compiled the quick way
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=2 if assembly.count("\n") < _LONG else 0,
    )
    module = llvm.parse_assembly(assembly)
    return llvm.create_mcjit_compiler(module, machine)
