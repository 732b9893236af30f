"""Local dictionaries, and texts that a query puts together, are compiled and agree with the interpreter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cqlgui.engine.kernels import built_texts, entries
from cqlgui.engine.replaying import layout
from cqlgui.jit import native
from tests.engine import test_against_interpreter as against
from tests.engine import test_weakening
from tests.helpers import games as readings

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

FEW_MEN = "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1"
DICTIONARIES = (
    "local dictionary D D[ply]=ply unbind D[0] #D==ply ply==4",
    "local dictionary D D[ply]=#A D[ply - 1]==16 not D[ply + 1]",
    "local dictionary D if not D[fen] D[fen]=0 D[fen]=D[fen]+1 D[fen]>=2",
    "local dictionary D if not D[fen] D[fen]=ply D[fen]<ply",
    "local dictionary D initial s[element]. {D[s]=find count --s} D[(e4)]>=2",
    "local dictionary D D[(K)]=k D[(K)] & k",
    "local dictionary D not D[(K)] D[(K)]=Q",
    "local dictionary D D[currentposition]=parent D[parent]==parent:parent",
    "local dictionary D D[currentposition]=ply D[parent]==ply-1",
    'local dictionary D D["a"]=ply D["b"]=3 D["a"]>D["b"] not D["c"]',
    'local dictionary D D["a"]=ply Sum=0 string One in D {Sum+=1} Sum==#D',
    "local dictionary D D[#A - 12]=ply D[0-ply]=1 Max=0-1000 x[element]D {if x>Max Max=x} Max>0",
    "local dictionary D D[0-ply]=1 Seen=0 First=0 x[element]D {if Seen==0 First=x Seen=1} First==0-ply",
    "local dictionary D D[ply]=1 if ply % 3==2 unbind D #D==1",
    "local dictionary D D[ply]=1 x[element]D {y=x} y==ply",
    "local dictionary D if mate D[1]=1 D[1]==1",
    "local dictionary D if wtm D[1]=ply {{D[3]=D[1]} or {not D[3]}} #D<=2",
    "flipcolor {local dictionary D D[#A]=#a D[#A]>=#A}",
    "local dictionary D path (-- --) D[#A]=#a #D>=3",
    "local dictionary D D[ply]=1 wtm #D>1 sort #D",
    "local dictionary D D[1]=1 isbound D check",
    "local dictionary D if isunbound D D[1]=1 #D==0 check",
    "local dictionary D terminal not ({D[1]=1 P})-- #D==1",
    "Cn=0 terminal not {({Cn=1 P})--} Cn==1",
    "isunbound Nowhere check",
)
TEXTS = (
    'x="" if wtm x="a" x=="a"',
    'if initial x="" x+=piecename from #x>=4',
    'if initial x="" x+=str(typename to) "NB" in x',
    'x="a" x+=typename a1 x+=typename e4 y=x y=="aNP" or y>"aR"',
    'x="" x+=str(ply " " #A) "12 1" in x',
    'terminal str P ~~ "a[2-7]"',
    'str(P "," R) ~~ "[a-c]1."',
    'str(R) ~~ "[^a]1"',
    'if ply==3 x=Q str(Q "x" x) ~~ "x<un"',
    'x=0-ply y=str(x "|" kg8) {y=="-12|[]" or "g8" in y}',
    'x="n" y=x+"bc"+x y=="nbcn" #y==4',
    'x="" s[element]P {x+="p"} #x>=7 x<"pppppppp"',
    'initial x="" find quiet all {--=A x+=child:piecename to} #x>=1',
    'local dictionary D if initial {D["b"]=2 D["a"]=1} All="" One[element]D All+=One All=="ab" terminal',
    'x=typename e4 x!="P" x<="a"',
    'Sy="a" not (typename _ in {Sy="b" "c"}) Sy=="b"',
    "Sy=1 not (typename _ in {Sy=2 typename K}) Sy==2",
    'if initial x="é" x+="ü" not "ß" in x "ü" in x #x>ply',
)


@pytest.mark.parametrize("text", [*DICTIONARIES, *TEXTS])
def test_engine_and_interpreter_agree(text: str) -> None:
    comparison = against.Comparison([*against.shipped(12), readings.from_fen(FEW_MEN, FEN=FEW_MEN)])
    comparison.text(f"cql() {text}")
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"] > 0, text


@pytest.mark.parametrize(
    "text",
    [
        'local dictionary D D["a"]="b"',
        "dictionary D D[1]=ply",
        'Key="a" local dictionary D D[Key]=1',
        "local dictionary D D[1]=1 x[element]D {D[2]=x}",
        "local dictionary D D[fen]=ply One[element]D {Other=One} #Other>2",
        " ".join(f"local dictionary D{n} D{n}[1]=1" for n in range(8)),
        'x=str(K) x~~"e|f"',
        'str(K)~~"[[:alpha:]]"',
    ],
)
def test_what_is_left_to_the_interpreter(text: str) -> None:
    assert test_weakening.compiled(f"cql() {text}").unsupported


def test_a_dictionary_is_like_one_of_python() -> None:
    """Also when it is full: then the game is doubtful, and nothing was written outside the table."""
    frame: Any = np.zeros(layout.AREAS + entries.SIZE + 1, np.uint64)
    frame[-1] = 77
    frame[layout.STEPS] = layout.STEPS_AT_MOST
    table, chance = layout.AREAS, random.Random(5)
    known: dict[int, int] = {}
    for _ in range(6_000):
        key = chance.choice([chance.randrange(390), chance.getrandbits(64) if len(known) < 5 else 7])
        match chance.randrange(4):
            case 0:
                entries.remove(frame, table, key)
                known.pop(key, None)
            case 1 | 2:
                entries.put(frame, table, key, key ^ 5)
                if frame[layout.DOUBT]:
                    break
                known[key] = key ^ 5
            case _:
                place = entries.find(frame, table, key)
                assert (None if place < 0 else frame[place + entries.VALUE]) == known.get(key)
        assert entries.count(frame, table) == len(known)
    found, key, first = [], 0, 1
    while (place := entries.following(frame, table, key, 0, first)) >= 0:
        key, first = int(frame[place + entries.KEY]), 0
        found.append(int(key))
    assert found == sorted(known)
    frame[layout.STEPS] = layout.STEPS_AT_MOST
    for key in range(10_000):
        entries.put(frame, table, key, 1)
    assert frame[layout.DOUBT] == 1
    assert frame[-1] == 77
    entries.clear(frame, table)
    assert entries.count(frame, table) == 0
    assert frame[layout.STEPS] < layout.STEPS_AT_MOST


def test_texts_without_room_make_a_game_doubtful() -> None:
    frame: Any = np.zeros(layout.AREAS + built_texts.AREA + 1, np.uint64)
    letters: Any = np.array([97, 98], np.uint64)
    frame[-1] = 77
    frame[layout.STEPS] = layout.STEPS_AT_MOST
    area = layout.AREAS
    made = built_texts.added(frame, area, 0, letters, 0, 2)
    for _ in range(20):
        made = built_texts.joined(frame, area, made, made)
    assert frame[layout.DOUBT] == 1
    assert frame[-1] == 77
    assert frame[made] == 0


def test_work_on_texts_counts_as_steps() -> None:
    """A kernel cannot be interrupted, so a game with too much work must come to its end."""
    frame: Any = np.zeros(layout.AREAS + built_texts.AREA, np.uint64)
    frame[layout.STEPS] = 1_000_000
    letters: Any = np.full(400, 97, np.uint64)
    part, whole = (built_texts.added(frame, layout.AREAS, 0, letters, 0, size) for size in (100, 400))
    calls = 0
    while not frame[layout.DOUBT]:
        built_texts.contains(frame, part, whole)
        calls += 1
    assert 100 < calls < 1_000


@pytest.mark.parametrize(
    "text",
    [
        "if #A<0 Qy=P terminal Qy--",
        "if #A<0 Qy=P terminal --Qy",
        'if #A<0 Sy="q" terminal typename _ in Sy',
        'if #A<0 Sy="q" Sx="a" terminal Sx+=Sy',
        "if #A<0 Qy=P local dictionary D D[Qy]=1",
    ],
)
def test_a_fault_is_left_to_the_interpreter(text: str) -> None:
    """The interpreter tells that a variable has no value, also where the filter would fail anyway."""
    packed = test_weakening.sample()
    doubtful = [
        game for found in test_weakening.compiled(text).scan(packed) for game in found.doubtful.tolist()
    ]
    assert doubtful == list(range(len(packed)))


@pytest.mark.parametrize(
    "text",
    [
        'local dictionary D D[1]=1 str(D) ~~ "1"',
        'local dictionary D D[1]=1 not str(D) ~~ "1"',
        'local dictionary D D[ply]=1 x=str("a" D) "5" in x',
        'local dictionary D D["a"]=1 find {str(ply D) ~~ "3.*a"}',
        'x=currentposition "5" in str(x)',
    ],
)
def test_a_text_of_a_dictionary_or_position_is_left_to_the_interpreter(text: str) -> None:
    """Each game is in doubt or has a candidate."""
    packed = test_weakening.sample()
    asked: set[int] = set()
    for found in test_weakening.compiled(f"cql() {text}").scan(packed):
        asked.update(found.doubtful.tolist(), (found.hits >> 32).tolist())
    assert asked == set(range(len(packed)))
