"""Comments and tags put into a game's own text, and comments taken out of it; nothing else changes."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import tree
from cqlgui.jit import native
from cqlgui.pgn import braces, kernel, kernel_places, quick, reader, split, writer
from tests import helpers

GAME = (
    '[White "A"]\n[Black "B"]\n\n{start} 1. e4 {a} e5; rest\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n'
)


@pytest.mark.parametrize(
    ("removed", "additions", "movetext"),
    [
        ({0}, {}, "1. e4 {a} e5; rest\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n"),
        ({0}, {0: "new"}, "{new} 1. e4 {a} e5; rest\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n"),
        ({1}, {}, "{start} 1. e4 e5; rest\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n"),
        ({2}, {}, "{start} 1. e4 {a} e5\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n"),
        ({2}, {2: "new"}, "{start} 1. e4 {a} e5 {new}\n2. Nf3 $1 ({before} 2. f4 {b} exf4) 2... Nc6 *\n"),
        ({5}, {6: "end"}, "{start} 1. e4 {a} e5; rest\n2. Nf3 $1 ({before} 2. f4 exf4 {end}) 2... Nc6 *\n"),
        ({3, 4, 99}, {99: "x"}, GAME.partition("\n\n")[2]),
    ],
)
def test_comments_go_and_come(removed: set[int], additions: dict[int, str], movetext: str) -> None:
    written = writer.annotate(GAME, additions, removed)
    assert written == GAME.partition("\n\n")[0] + "\n\n" + movetext


def test_what_a_comment_parted_stays_apart() -> None:
    assert writer.annotate("1. e4{a}e5{b}(1... c5{c})2. Nf3 *", {}, {1, 2, 4}) == "1. e4 e5 (1... c5)2. Nf3 *"
    assert writer.annotate("{a}\n1. e4 {b} {c}\n% kept\ne5 *", {}, {0, 1}) == "1. e4 \n% kept\ne5 *"


def test_no_line_comes_to_begin_with_a_percent_sign() -> None:
    """Readers skip such a line."""
    text = "1. e4\n{a} %x e5 *"
    assert writer.annotate(text, {}, {1}) == "1. e4\n %x e5 *"
    assert (
        reader.read_game(writer.annotate(text, {}, {1}).encode()).words
        == reader.read_game(text.encode()).words
    )


def test_a_comment_before_the_tags_goes_too() -> None:
    assert writer.annotate('{old}\n[White "A"]\n\n1. e4 *', {}, {0}) == '[White "A"]\n\n1. e4 *'


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ('[White "A"]\n\n1. e4 *', [("N", "x")], '[White "A"]\n[N "x"]\n\n1. e4 *'),
        ('[White "A"]\r\n\r\n1. e4 *', [("N", "x")], '[White "A"]\r\n[N "x"]\r\n\r\n1. e4 *'),
        ('[N "old"]\n[White "A"]\n\n1. e4 *', [("N", "x")], '[N "x"]\n[White "A"]\n\n1. e4 *'),
        ("1. e4 *", [("N", "x")], '[N "x"]\n\n1. e4 *'),
        ('[N "a"]\n\n*', [("N", 'say "\\"\nso')], '[N "say \\"\\\\\\" so"]\n\n*'),
        ('[White "A"]\n\n*', [("N", "1"), ("M", "2"), ("N", "3")], '[White "A"]\n[N "3"]\n[M "2"]\n\n*'),
    ],
)
def test_tags_are_set_or_added(text: str, tags: list[tuple[str, str]], expected: str) -> None:
    assert writer.annotate(text, {}, (), tags) == expected


def test_other_bytes_stay_in_their_encoding() -> None:
    raw = b'[White "M\xfcller"]\r\n\r\n1. e4 {\xe4} e5 {gone} *'
    written = writer.annotate(raw, {1: "CQL"}, {2}, [("Note", "x")])
    assert written == b'[White "M\xfcller"]\r\n[Note "x"]\r\n\r\n1. e4 {\xe4} {CQL} e5 *'


_WORDS = [
    "e4",
    "e5",
    "{one}",
    "{ two }",
    "; three\n",
    "(1... c5)",
    "(1... c5 {four})",
    "({five} 1... d5)",
    "$3",
    "\n",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(_WORDS[2:]), max_size=4),
    st.lists(st.sampled_from(_WORDS[2:]), max_size=5),
    st.sets(st.integers(0, 4)),
    st.sets(st.integers(0, 4)),
    st.sampled_from([" ", ""]),
)
def test_only_what_was_asked_for_changes(
    before: list[str], after: list[str], removed: set[int], added: set[int], gap: str
) -> None:
    # Moves and glyphs need their blanks; comments and brackets do not.
    parts = [word for word in before if not word.startswith(("(", "$"))]
    words = [*parts, " 1. e4 ", *before[:2], " e5 ", *after, " 2. Nf3 *"]
    text = '[White "A"]\n\n' + gap.join(f" {word} " if word.startswith("$") else word for word in words)
    game = reader.read_game(text.encode())
    written = writer.annotate(text, dict.fromkeys(added, "new"), removed, [("Note", "x")])
    again = reader.read_game(written.encode())
    assert (again.words, again.nags, again.before) == (game.words, game.nags, game.before)
    assert again.tags == (*game.tags, ("Note", "x"))
    for place in range(game.positions):
        kept = "" if place in removed else game.comments.get(place, "")
        assert again.comments.get(place, "") == f"{kept} {'new' if place in added else ''}".strip()
    assert len(tree.GameTree.decode(None, again.words)) == game.positions
    assert len(list(split.games(split.BytesSource(written.encode())))) == 1
    if not removed and not added:
        assert re.sub(r'\n\[Note "x"\]', "", written) == text


def test_letters_that_windows_1252_lacks_come_into_a_game_of_that_encoding() -> None:
    old = '[White "Müller"]\n\n1. e4 {\x81 ü} *\n'
    # Windows-1252 leaves the byte 0x81 undefined.
    data = old.replace("\x81", "~").encode("cp1252").replace(b"~", b"\x81")
    kept = writer.annotate(data, {1: "für é"})
    assert kept == data.replace(b"} *", b"} {f\xfcr \xe9} *")
    tags = [("Annotator", "Łukasz")]
    for written in (writer.annotate(data, {1: "♔ ≤ Ж"}, (), tags), writer.annotate(data, {}, (), tags)):
        game = reader.read_game(written)
        assert game.tags == (("White", "Müller"), ("Annotator", "Łukasz"))
        assert game.comments[1].startswith("\x81 ü")
    assert reader.read_game(writer.annotate(data, {1: "♔ ≤ Ж"})).comments[1] == "\x81 ü ♔ ≤ Ж"


def odd_games() -> list[bytes]:
    """Games that the fast reader takes, and games that it leaves to the lenient one."""
    texts = [
        GAME,
        GAME.replace("; rest\n", " {rest} "),
        "1. e4 e5 *",
        '[White "A"]\n\n1.e4! {a}{b} $1 e5?! ( {early} 1... c5 $2 {c} (1... c6) )'
        " ( 1... e6 2. d4 ) {late} 2. d4 *",
        '[White "A"]\r\n\r\n1. e4 {a\r\nb} 1... e5\r\n2. Nf3 1-0',
        '[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 9"]\n[SetUp "1"]\n\n9. ... Kd7 10.e4 (10. e3) 10... Ke6 1/2-1/2',
        '[White "\u00c4"]\n\n1. e4 {\u00fc} e5 *',
        '[White "A"]\n\n1. e4 e5 2. Ke3 *',
        '[White "A"]\n\n*',
    ]
    encoded = [text.encode() for text in texts]
    encoded.append('[White "\u00c4"]\n\n1. e4 {\u00fc} e5 *'.encode("latin-1"))
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    return encoded + [game.data for game in split.games(split.BytesSource(sample.read_bytes()[:200_000]))]


WORDS = ["CQL", "of {some}", 'a\n[Event "x"]', "a } b", "CQL: as written [%csl Ga1]", "end\\", "\u0416"]


@pytest.mark.parametrize("words", [WORDS[:-1], WORDS], ids=["ascii", "any"])
@pytest.mark.parametrize("room", [1, 1 << 20])
def test_many_games_get_the_comments_that_each_gets_alone(
    words: list[str], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_ROOM", room)
    source = Random(len(words))
    games = [game for _ in range(4) for game in odd_games()]
    source.shuffle(games)
    firsts, ids, chosen = [0], [], []
    for game in games:
        count = len(reader.anchors(game).after)
        own = sorted(source.sample(range(count + 2), source.choice([0, 1, 2, count])))
        ids += own
        chosen += [source.randrange(len(words)) for _ in own]
        firsts.append(len(ids))
    comments = [writer.comment(text).encode() for text in words]
    notes = writer.Notes(np.array(firsts), np.array(ids), np.array(chosen), words, comments)
    written = list(writer.Annotator().write(texts_of(games, plain=all(map(str.isascii, words))), notes))
    assert [part.begin for part in written] == [0, *(part.end for part in written[:-1])]
    assert written[-1].end == len(games)
    for part in written:
        alone = [
            writer.annotate(games[number], notes.of(number)).strip(b"\r\n")
            for number in range(part.begin, part.end)
        ]
        assert part.text == b"\n\n".join(alone)
    quick = sum(part.end - part.begin for part in written if part.clean)
    assert len(games) // 2 < quick < len(games) if native.available() else not quick


TAGS = [
    ("White", "new"), ("N_1", "x, y. [z] %"), ("FEN", "8/8"), ("Result", "*"), ("Black", ""), ("a b", "c"),
    ("Q", 'say "so"'), ("U", "\u0416"), ("L", "a\nb"), ("B", "c\\d"), ("White", "twice"),
]  # fmt: skip


def test_tags_of_clean_games_are_changed_without_reading_the_moves() -> None:
    source = Random(7)
    games = [
        *odd_games(),
        b'[White "a [b] \\" c"]\n[White "other"]\n[Black"B"]\n\n1. e4 *',
        b'[White "A"]\r\n[Black "B"] [Event "C"]\r\n\r\n1. e4 {[x "y"]} *',
        b'[White "A"]\n\n{start} [N "b"] 1. e4 *',
        b'% skipped\n[White "A"]\n\n*',
    ]
    quickly = 0
    kinds = texts_of(games).kinds
    for game, kind in zip(games, kinds.tolist(), strict=True):
        if kind == kernel_places.LEFT:
            continue
        for _ in range(6):
            tags = source.sample(TAGS, source.choice([1, 2, 3]))
            found = writer.tagged(game, tags)
            if found is not None:
                quickly += 1
                assert found == writer.annotate(game, {}, (), tags)
    assert quickly > (kinds != kernel_places.LEFT).sum() or not native.available()
    assert writer.tagged(b"1. e4 *", [("White", "x")]) is None
    assert writer.tagged(b'[White "A"]\n\n*', [("U", "\u0416")]) is None


def texts_of(games: list[bytes], *, plain: bool = True) -> writer.Texts:
    """Games with the kinds that the flags of an index give them."""
    bare = [game.strip(b"\r\n") for game in games]
    data = quick.padded(b"\n\n".join(bare))
    sizes = np.array([len(game) for game in bare])
    begins = np.cumsum(sizes + 2) - sizes - 2
    kinds = np.full(len(games), kernel_places.LEFT, np.uint8)
    for number, game in enumerate(bare):
        found = quick.QuickReader().read(quick.padded(game))
        if len(found) == 1 and found.why is kernel.Why.END and (plain or not found.other_encoding):
            branching = found.rows[0, kernel.FLAGS] & kernel.VARIATIONS != 0
            kinds[number] = kernel_places.BRANCHING if branching else kernel_places.PLAIN
    return writer.Texts(data, begins, begins + sizes, kinds)


def test_the_own_texts_of_many_games() -> None:
    games = odd_games()
    found = [
        (part.text, part.clean)
        for game in games
        for part in writer.Annotator().write(texts_of([game]), writer.Notes.none(1))
    ]
    assert [text for text, _ in found] == [game.strip(b"\r\n") for game in games]
    for text, clean in found:
        # After a clean game, the splitter finds the next game in the right place.
        parts = list(split.games(split.BytesSource(text + b'\n\n[Event "?"]\n\n*')))
        assert not clean or [part.data for part in parts] == [text, b'[Event "?"]\n\n*']


def test_texts_that_get_nothing_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    # The lenient reader takes a thousand times as long as a copy.
    monkeypatch.setattr(writer, "annotate", lambda *_: pytest.fail("a text was read"))
    game = b'[Annotator "K]\n\n1. e4 {a \\} 0-0 e5 *'
    texts = writer.Texts(game, np.array([0]), np.array([len(game)]), np.array([kernel_places.LEFT], np.uint8))
    assert [part.text for part in writer.Annotator().write(texts, writer.Notes.none(1))] == [game]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (b"}", (1, True)),
        (b"a} b}", (2, True)),
        (b"a\\} b}", (6, True)),
        (b"a\\} b {c}", (3, True)),
        (b'a\n[Event "x"]\n} b', (15, True)),
        (b'a\n[Event "x"]\n{b}', (1, False)),
        (b"a [Event of the year] }", (23, True)),
    ],
)
def test_the_end_of_a_comment(text: bytes, end: tuple[int, bool]) -> None:
    assert braces.comment_end(text, 0, complete=True) == end
