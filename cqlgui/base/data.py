"""The standard library's data classes, of which each method is written when it is first called.

`dataclasses` compiles six methods for each frozen class as it is defined, which takes a millisecond; with
hundreds of classes that would be a third of the time from the start of a search on the command line to its
answer, and most of them are never made there. What a class can do is the same: its fields are those that
`dataclasses.fields`, `replace` and `match` know.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable
from dataclasses import MISSING, Field, field
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass", "field"]


def _dataclass(
    kind: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,
) -> Any:
    """The decorator, with the meaning that these words have in `dataclasses`.

    A frozen class refuses every assignment to its instances, those of plain subclasses included. A
    method that the class itself has is kept.
    """

    def made(kind: type) -> type:
        # Without methods, and not frozen, which would be methods too, it only finds the fields.
        whole: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(kind)
        own = whole.__dict__
        methods: dict[str, Any] = {} if "__init__" in own else {"__init__": _later(whole, _init, frozen)}
        if repr and "__repr__" not in own:
            methods["__repr__"] = _repr
        if eq:
            if "__eq__" not in own:
                methods["__eq__"] = _later(whole, _eq)
            if own.get("__hash__") is None:
                methods["__hash__"] = _later(whole, _hash) if frozen else None
        if frozen:
            methods |= _FROZEN | _COPIED if slots else _FROZEN
        for name, method in methods.items():
            setattr(whole, name, method)
        return whole

    return made if kind is None else made(kind)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass


def _later(kind: type, write: Callable[..., Callable[..., Any]], *given: object) -> Callable[..., Any]:
    """A method of `kind` that writes itself at its first call; several threads may do so at once."""

    def method(self: object, *values: object, **named: object) -> Any:
        function = write(kind, *given)
        setattr(kind, function.__name__, function)
        return function(self, *values, **named)

    return method


def _init(kind: Any, frozen: bool) -> Callable[..., Any]:
    names: dict[str, Any] = {"_later": _MADE_LATER}
    parameters: list[str] = ["self"]
    keywords: list[str] = []
    body: list[str] = []
    for number, one in enumerate(dataclasses.fields(kind)):
        value, default = one.name, ""
        if one.default_factory is not MISSING:
            names[f"_make{number}"] = one.default_factory
            value = f"_make{number}() if {one.name} is _later else {one.name}"
            default = "=_later"
        elif one.default is not MISSING:
            names[f"_default{number}"] = one.default
            default = f"=_default{number}"
        (keywords if one.kw_only else parameters).append(one.name + default)
        if frozen:
            names[f"_set{number}"] = _setter(kind, one)
            body.append(f"_set{number}(self, {value})")
        else:
            body.append(f"self.{one.name} = {value}")
    if keywords:
        parameters += ["*", *keywords]
    return _compiled(kind, "__init__", parameters, body or ["pass"], names)


def _setter(kind: type, one: Field[Any]) -> Callable[[Any, Any], None]:
    """What gives a field of a frozen instance its first value."""
    slot = getattr(kind, one.name, None)
    if isinstance(slot, MemberDescriptorType):
        return slot.__set__
    return lambda instance, value: object.__setattr__(instance, one.name, value)


def _eq(kind: Any) -> Callable[..., Any]:
    mine, others = (_tuple(kind, who, hashed=False) for who in ("self", "other"))
    same = "other.__class__ is self.__class__"
    return _compiled(
        kind, "__eq__", ["self", "other"], [f"return {mine} == {others} if {same} else NotImplemented"], {}
    )


def _hash(kind: Any) -> Callable[..., Any]:
    return _compiled(kind, "__hash__", ["self"], [f"return hash({_tuple(kind, 'self', hashed=True)})"], {})


def _tuple(kind: Any, who: str, *, hashed: bool) -> str:
    """The fields that are compared, or those that go into the hash, as a tuple."""
    listed = (
        one
        for one in dataclasses.fields(kind)
        if (one.hash if hashed and one.hash is not None else one.compare)
    )
    return "(" + "".join(f"{who}.{one.name}, " for one in listed) + ")"


def _compiled(
    kind: type, name: str, parameters: list[str], body: list[str], names: dict[str, Any]
) -> Callable[..., Any]:
    lines = [f"def {name}({', '.join(parameters)}):", *(f"    {line}" for line in body)]
    scope = {"__name__": kind.__module__, **names}
    exec("\n".join(lines), scope)
    function: Callable[..., Any] = scope[name]
    function.__qualname__ = f"{kind.__qualname__}.{name}"
    return function


@reprlib.recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_FROZEN: Final = {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
_COPIED: Final = {"__getstate__": _state, "__setstate__": _restore}
"""How instances are copied that have slots and refuse assignments."""
_MADE_LATER: Final = object()
"""Stands for what a field's factory makes for each instance."""
