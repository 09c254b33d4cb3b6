"""Types of the C text that is written from kernels: numbers, rows of four, arrays with fixed sizes, tables, structs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, a row of four numbers, or nothing."""

    c: str


REAL, INT, ROW, VOID = Scalar("real"), Scalar("int"), Scalar("row4"), Scalar("void")


@dataclass(frozen=True, slots=True)
class Dim:
    """A fixed size with its name in C."""

    value: int
    name: str = ""

    @property
    def c(self) -> str:
        """Name, or the number itself."""
        return self.name or str(self.value)


@dataclass(frozen=True, slots=True)
class RecordType:
    """One row of a table (``step_arrays``): a struct that is always passed by its address."""

    name: str
    const: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array with fixed sizes."""

    element: Scalar | RecordType
    dims: tuple[Dim, ...]
    const: bool = False


@dataclass(frozen=True, slots=True)
class TupleType:
    """Several values that a function returns."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StructType:
    """A named tuple of the solver: a struct passed by its address, or constants of the program that are not passed."""

    name: str
    fields: Mapping[str, Any] = field(compare=False, hash=False)  #: Type, or a known Value
    const: bool = False
    passed: bool = True  #: False: one constant object, known by its name


@dataclass(frozen=True, slots=True)
class Value:
    """An expression in C."""

    type: Any
    code: str
    known: Any = None  #: its value, if it is known when the text is written
    pointer: bool = False  #: of a record or struct: the code is its address
    parts: tuple[Value, ...] | None = None  #: of a tuple that is never stored


def empty(kind: Any) -> bool:
    """True for an array without elements, which C does not have."""
    return isinstance(kind, ArrayType) and any(d.value == 0 for d in kind.dims)


def base_of(kind: Any) -> str:
    """C name of the element."""
    if isinstance(kind, ArrayType):
        inner = kind.element
        return ("const " if kind.const else "") + (f"struct {inner.name}" if isinstance(inner, RecordType) else inner.c)
    if isinstance(kind, RecordType | StructType):
        return ("const " if kind.const else "") + f"struct {kind.name}"
    if isinstance(kind, TupleType):
        return tuple_name(kind)
    return str(kind.c)


def declare(kind: Any, name: str) -> str:
    """Declaration of a local variable or a parameter: arrays, records and structs by their address."""
    if isinstance(kind, ArrayType):
        tail = "".join(f"[{d.c}]" for d in kind.dims[1:])
        return f"{base_of(kind)} (*{name}){tail}" if tail else f"{base_of(kind)} *{name}"
    if isinstance(kind, RecordType | StructType):
        return f"{base_of(kind)} *{name}"
    return f"{base_of(kind)} {name}"


def declare_field(kind: Any, name: str) -> str:
    """Declaration of a member of a struct, which holds its arrays."""
    if isinstance(kind, ArrayType):
        return f"{base_of(kind)} {name}" + "".join(f"[{d.c}]" for d in kind.dims)
    return f"{base_of(kind)} {name}"


def tuple_name(kind: TupleType) -> str:
    """C name of a struct of several values, such as tuple_real_real_int."""
    return "tuple_" + "_".join(each.c for each in kind.items)


def tuple_struct(kind: TupleType) -> str:
    """Definition of that struct; equal types are an array in it."""
    if len(set(kind.items)) == 1:
        return f"typedef struct {{ {kind.items[0].c} v[{len(kind.items)}]; }} {tuple_name(kind)};"
    fields = " ".join(f"{each.c} v{k};" for k, each in enumerate(kind.items))
    return f"typedef struct {{ {fields} }} {tuple_name(kind)};"


def tuple_item(kind: TupleType, code: str, place: Value) -> Value:
    """One of several values; of equal types it may be any that a variable says."""
    if len(set(kind.items)) == 1:
        return Value(kind.items[0], f"{code}.v[{place.code}]")
    return Value(kind.items[place.known], f"{code}.v{place.known}")


def tuple_initialiser(kind: TupleType, codes: list[str]) -> str:
    """Initialiser of such a struct."""
    values = ", ".join(codes)
    return f"{{{{{values}}}}}" if len(set(kind.items)) == 1 else f"{{{values}}}"


def common(one: Any, other: Any) -> Any:
    """Type that holds both: a real if one of two numbers is."""
    if one is None or one == other:
        return other
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        return TupleType(tuple(common(a, b) for a, b in zip(one.items, other.items, strict=True)))
    if {one, other} == {REAL, INT}:
        return REAL
    raise TypeError(f"no common type of {one} and {other}")
