"""Data classes that work like `dataclasses`, except that each method is compiled when it is first called.

The standard `dataclasses` compiles six methods for each frozen class when the class is defined. Compiling the
six methods of one class takes a millisecond. A search on the command line uses hundreds of classes, and
compiling their methods would take a third of the time of the search. Most of the methods are never called.
Importing `dataclasses` alone takes longer than making all classes with this module.

The classes work like the standard data classes: `dataclasses.fields`, `dataclasses.replace` and `match`
accept them. An attribute that these functions read is made when the attribute is first requested.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass", "field", "fields", "named", "replace"]

_MISSING: Final = object()
"""Means that a field has no default."""


class _Field:
    """A field as declared in a class. `_Field(...)` in a class body means the same as `dataclasses.field`."""

    __slots__ = ("compare", "default", "default_factory", "hash", "kw_only", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.kw_only = kw_only

    def words(self) -> dict[str, Any]:
        """The arguments of `dataclasses.field` that describe this field."""
        found = {name: getattr(self, name) for name in ("repr", "hash", "compare", "kw_only")}
        defaults = {name: getattr(self, name) for name in ("default", "default_factory")}
        return found | {name: value for name, value in defaults.items() if value is not _MISSING}


def _fields(kind: Any) -> tuple[_Field, ...]:
    """The fields of a class or an instance, in the order of their declaration."""
    found: tuple[_Field, ...] = kind.__data_fields__
    return found


def _replace(instance: Any, /, **changes: Any) -> Any:
    """Return a copy of an instance with some fields changed."""
    for one in _fields(instance):
        if one.name not in changes:
            changes[one.name] = getattr(instance, one.name)
    return instance.__class__(**changes)


def named(instance: Any) -> dict[str, Any]:
    """The values of an instance, by the names of its fields."""
    return {one.name: getattr(instance, one.name) for one in _fields(instance)}


def _dataclass(
    kind: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,
) -> Any:
    """The decorator. The parameters mean the same as in `dataclasses`.

    The attributes of a frozen instance cannot be assigned, even if the instance belongs to a subclass without
    the decorator. A method that the class itself defines is kept. Every annotation is a field: there are no
    class variables.
    """

    def made(kind: type) -> type:
        listed = _found(kind)
        whole = _slotted(kind, listed) if slots else kind
        own = whole.__dict__
        methods: dict[str, Any] = {"__data_fields__": tuple(listed.values())}
        methods |= {name: _ForLibrary(whole, name) for name in _LOOKED_FOR}
        if "__match_args__" not in own:
            methods["__match_args__"] = tuple(one.name for one in listed.values() if not one.kw_only)
        if "__init__" not in own:
            methods["__init__"] = _later(whole, _init, frozen)
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
    from dataclasses import dataclass, field, fields, replace
else:
    dataclass, field, fields, replace = _dataclass, _Field, _fields, _replace


def _found(kind: type) -> dict[str, _Field]:
    """The fields of a class by name. The fields of base classes come first. After the call, the class
    attribute of a field is the default of the field. A field without a default has no class attribute. Raises
    `ValueError` for a mutable default, which all instances would share."""
    found: dict[str, _Field] = {}
    for base in reversed(kind.__mro__[1:]):
        found.update((one.name, one) for one in base.__dict__.get("__data_fields__", ()))
    # The loop reads only the annotations of this class, without evaluating them. `inspect` could return these
    # annotations too, but importing `inspect` takes long.
    for name, annotation in kind.__dict__.get("__annotations__", {}).items():  # noqa: RUF063
        given = getattr(kind, name, _MISSING)
        if isinstance(given, MemberDescriptorType):
            # `given` is the slot that a base class made for this field. A slot is not a default.
            given = _MISSING
        one = given if isinstance(given, _Field) else _Field(default=given)
        if one is given and one.default is _MISSING:
            delattr(kind, name)
        elif one is given:
            setattr(kind, name, one.default)
        if one.default.__class__.__hash__ is None:
            raise ValueError(f"the default of {kind.__qualname__}.{name} is for a default_factory to make")
        one.name, one.type = name, annotation
        found[name] = one
    return found


def _slotted(kind: type, listed: dict[str, _Field]) -> type:
    """A copy of a class. It has a slot for each field that has no slot in a base class."""
    bases = {name for base in kind.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    dropped = {"__dict__", "__weakref__", *listed}
    body = {name: value for name, value in kind.__dict__.items() if name not in dropped}
    body["__slots__"] = tuple(name for name in listed if name not in bases)
    made: type = type(kind)(kind.__name__, kind.__bases__, body)
    made.__qualname__ = kind.__qualname__
    return made


class _ForLibrary:
    """An attribute that `dataclasses` and other libraries read from a data class. The attribute is made when
    it is first requested."""

    def __init__(self, kind: Any, name: str) -> None:
        self._kind = kind
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        import dataclasses

        listed = [(one.name, one.type, dataclasses.field(**one.words())) for one in _fields(self._kind)]
        twin = dataclasses.make_dataclass(self._kind.__name__, listed, init=False, repr=False, eq=False)
        found = getattr(twin, self._name)
        setattr(self._kind, self._name, found)
        return found


_LOOKED_FOR: Final = ("__dataclass_fields__", "__dataclass_params__")


def _later(kind: type, write: Callable[..., Callable[..., Any]], *given: object) -> Callable[..., Any]:
    """A method of `kind`. The method is compiled when it is first called. Several threads may make the first
    call at once."""

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
    for number, one in enumerate(_fields(kind)):
        value, default = one.name, ""
        if one.default_factory is not _MISSING:
            names[f"_make{number}"] = one.default_factory
            value = f"_make{number}() if {one.name} is _later else {one.name}"
            default = "=_later"
        elif one.default is not _MISSING:
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


def _setter(kind: type, one: _Field) -> Callable[[Any, Any], None]:
    """The function that sets a field of a frozen instance for the first time."""
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
    """The source code of a tuple of fields. With `hashed`, the tuple has the fields that are hashed. Without
    `hashed`, it has the fields that are compared."""
    listed = (one for one in _fields(kind) if (one.hash if hashed and one.hash is not None else one.compare))
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
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in _fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in _fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(_fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_FROZEN: Final = {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
_COPIED: Final = {"__getstate__": _state, "__setstate__": _restore}
"""The methods by which `copy` and `pickle` copy frozen instances with slots."""
_MADE_LATER: Final = object()
"""In the source of `__init__`, the default of a parameter whose field has a factory. The factory makes a new
value for each instance."""
