"""Our data classes against those of the standard library, which they stand for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import pprint
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from cqlgui.base import data
from tests import helpers

WORDS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "eq": False, "repr": False},
]


def family(library: Any, words: dict[str, bool]) -> list[Any]:
    """Kinds of either library with every sort of field that there is, the last derived from others."""
    decorate, field = library.dataclass, library.field

    class Plain:
        """Fields without more."""

        first: int
        second: tuple[int, ...]

    class Given:
        """Defaults, and what is made for each."""

        first: int
        shown: str = field(default="x", repr=False)
        told: int = field(default=3, compare=False)
        unhashed: int = field(default=4, hash=False)
        many: list[int] = field(default_factory=list, hash=False)
        apart: int = field(default=5, kw_only=True)

    class Empty:
        """No field at all."""

    class Own:
        """Methods of its own."""

        first: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    made = [decorate(**words)(kind) for kind in (Plain, Given, Empty, Own)]

    class Derived(made[1]):  # type: ignore[misc]
        """Fields behind those of another kind."""

        last: int = 9

    return [*made, decorate(**words)(Derived)]


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((1, (2,)), {}),
    ((1, "y"), {}),
    ((1,), {"apart": 6}),
    ((1,), {"told": 8, "last": 2}),
    ((1,), {"told": 8}),
    ((1,), {"unhashed": 8}),
    ((1,), {"many": [1]}),
    ((1, 2, 3, 4, [5], 6, 7, 8), {}),
    ((), {"first": 1, "second": ()}),
    ((), {"nobody": 1}),
]


def outcome(act: Callable[[], Any]) -> Any:
    """What comes of it, or the kind of its fault."""
    try:
        return act()
    except (TypeError, AttributeError) as fault:
        return type(fault)


def told(kind: Any) -> list[Any]:
    """All that can be seen of a kind and of its instances."""
    made = [outcome(lambda call=call: kind(*call[0], **call[1])) for call in CALLS]
    sound = [one for one in made if not isinstance(one, type)]
    seen: list[Any] = [[one if isinstance(one, type) else "made" for one in made]]
    seen.append([(one.name, one.type, one.init, one.compare) for one in dataclasses.fields(kind)])
    seen.append(kind.__match_args__)
    seen.append([dataclasses.asdict(one) for one in sound])
    shown = kind.__repr__ is not object.__repr__
    seen.append([repr(one) if shown else "" for one in sound])
    seen.append([[one == other for other in sound] for one in sound])
    seen.append(
        [outcome(lambda one=one: hash(one)) if kind.__eq__ is not object.__eq__ else 0 for one in sound]
    )
    for one in sound:
        seen.append(outcome(lambda one=one: repr(dataclasses.replace(one, first=5)) if shown else ""))
        seen.append(one == object())
        twin = copy.copy(one)
        seen.append([getattr(twin, each.name) for each in dataclasses.fields(kind)])
        # Of a frozen kind with slots the standard library's fault for a name that is no field is another one.
        seen.append(outcome(lambda one=one: setattr(one, "nobody", 1)) is None)
        for name in ("first", "nobody"):
            seen.append(outcome(lambda one=one, name=name: delattr(one, name)) is None)
        if hasattr(one, "first"):
            seen.append(outcome(lambda one=one: setattr(one, "first", 1)))
    return seen


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_they_do_what_those_of_the_standard_library_do(words: dict[str, bool]) -> None:
    ours, theirs = family(data, words), family(dataclasses, words)
    for mine, other in zip(ours, theirs, strict=True):
        assert told(mine) == told(other), mine
        # Once more, now that every method is written.
        assert told(mine) == told(other), mine


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_fields_and_copies_are_those_that_the_standard_library_sees(words: dict[str, bool]) -> None:
    *kinds, _own, derived = family(data, words)
    for kind in (*kinds, derived):
        names = [one.name for one in data.fields(kind)]
        assert names == [one.name for one in dataclasses.fields(kind)]
        given = {name: number for number, name in enumerate(names)}
        one = kind(**given)
        assert data.named(one) == dataclasses.asdict(one) == given
        assert dataclasses.is_dataclass(one)
        pprint.pformat(one)
        for name in names:
            assert data.named(data.replace(one, **{name: "new"})) == {**given, name: "new"}
        with pytest.raises(TypeError):
            data.replace(one, nobody=1)


def test_a_default_that_instances_would_share_is_refused() -> None:
    for library in (data, dataclasses):
        with pytest.raises(ValueError, match="default"):

            @library.dataclass
            class Shared:
                """A list for all."""

                values: list[int] = []  # noqa: RUF012  # that is what is refused


def test_the_word_alone_decorates() -> None:
    @data.dataclass
    class Alone:
        """One field."""

        value: int = 2

    assert Alone() == Alone(2)


@data.dataclass(frozen=True, slots=True)
class Kept:
    """What can be found by its name."""

    value: int
    rest: tuple[int, ...] = ()


def test_frozen_instances_are_copied_and_pickled() -> None:
    kept = Kept(1, (2, 3))
    assert copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == kept


def test_an_instance_that_holds_itself_is_shown() -> None:
    @data.dataclass(slots=True)
    class Ring:
        """Something that may be in itself."""

        inside: object = None

    ring = Ring()
    ring.inside = ring
    assert "inside=..." in repr(ring)


def test_a_plain_subclass_is_made_and_compared_as_its_base() -> None:
    class Sub(Kept):
        """No data class of its own."""

    assert Sub(1).value == 1
    assert Sub(1) == Sub(1)
    assert Sub(1) != Kept(1)


def test_threads_may_make_the_first_instance_at_once() -> None:
    for _ in range(20):

        @data.dataclass(frozen=True, slots=True)
        class Fresh:
            """Not made yet."""

            value: int

        found: list[Fresh] = []
        gate = threading.Barrier(4)

        def make(
            kind: type[Fresh] = Fresh, gate: threading.Barrier = gate, found: list[Fresh] = found
        ) -> None:
            gate.wait()
            found.append(kind(3))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [Fresh(3)] * 4


def test_nothing_is_written_before_it_is_called() -> None:
    code = (
        "import builtins\nfrom cqlgui.base import data\n"
        "def none(*_): raise AssertionError\n"
        "kept, builtins.exec = builtins.exec, none\n"
        "@data.dataclass(frozen=True, slots=True)\n"
        "class Kind:\n    'A kind.'\n    value: int\n"
        "builtins.exec = kept\nassert Kind(1) == Kind(1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_every_module_uses_them() -> None:
    for path in sorted((helpers.ROOT / "cqlgui").rglob("*.py")):
        if path != helpers.ROOT / "cqlgui" / "base" / "data.py":
            found = re.search(
                r"from dataclasses import [^\n]*\bdataclass\b|dataclasses\.dataclass", path.read_text("utf-8")
            )
            assert found is None, path
