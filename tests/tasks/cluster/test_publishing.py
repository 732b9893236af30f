"""A published base gives what its files give, wherever it stands, and it is whole or not there at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.base.files import folders
from cqlgui.cli import run
from cqlgui.jit import native
from cqlgui.store import places, published
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import publishing
from cqlgui.tasks.databases import bases, games, importing, sources, tags, workspace
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching, sieving
from tests import helpers
from tests.helpers import searched

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
ODD = (
    '[White "A"]\n[Black "B"]\n[WhiteElo "2450?"]\n[Annotator "Müller"]\n\n'
    "{start} $14 1. e4! {a} (1. d4 {b}) e5 1-0\n\n"
    "1. e4 e5 {no tags} 2. Qh5 Ke7 3. Qxe5# 1-0\n\n"
    '[White "A"]\n[BlackElo "2100"]\n[Result "0-1"]\n\n1. f4 e5 2. g4 Qh4# 1-0\n\n'
    '[White "broken"]\n\n1. e4 Qxe9 {gone} *\n\n'
)
QUERIES = (
    "mate",
    "flipcolor flipvertical {Bh7 kg8 check}",
    'cql(variations) originalcomment "b" or tag "Annotator" == "Müller"',
    'cql(result 1-0) elo > 2000 or player "A"',
    'mate sort "checks" find all check comment("mated by " [Aa]->[Kk])',
    'gamenumber < 4 message("game " gamenumber)',
    "mate persistent Found += 1 comment(Found)",
)


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    odd = tmp_path / "odd.pgn"
    odd.write_text("; a remark before the first game\n\n" + ODD * 3 + "\n; the end\n", "utf-8")
    return importing.open_base([SAMPLE, odd]).base


def opened(base: base_model.Base, place: str) -> base_model.Base:
    """The base published at a place and opened there, without the catalog."""
    publishing.publish(base, place)
    tags._kept.clear()
    return published_bases.open_base(place, adopt=False).base


@pytest.mark.parametrize("query", QUERIES)
def test_a_published_base_gives_the_same_hits(query: str, base: base_model.Base, tmp_path: Path) -> None:
    wanted = searched.plain(searching.search(base, query))
    found = searched.plain(searching.search(opened(base, str(tmp_path / "pub")), query))
    assert wanted["order"]
    for bad in (*wanted.pop("failed_games"), *found.pop("failed_games")):
        assert bad.source in {source.path for source in base.sources}
    assert {name: repr(value) for name, value in found.items() if name != "games"} == {
        name: repr(value) for name, value in wanted.items() if name != "games"
    }
    assert dict(found["games"]) == dict(wanted["games"])


def test_rows_tables_and_texts_are_the_same(base: base_model.Base, tmp_path: Path) -> None:
    there = opened(base, str(tmp_path / "pub"))
    every = range(1, base.games + 1)
    assert games.rows(there, every) == games.rows(base, every)
    for one, other in zip(there.sources, base.sources, strict=True):
        with sources.opened(one) as here, sources.opened(other) as file:
            size = file.index.manifest.identity.text_size
            assert here.stretch(0, size) == file.stretch(0, size)
            assert [here.raw(n) for n in range(other.games)] == [file.raw(n) for n in range(other.games)]
        assert sources.headers(one).bad_count(0) == workspace.catalog().bad_count(other.id)


@pytest.mark.parametrize("ending", ["pgn", "jsonl", "csv", "epd"])
def test_exports_are_the_same(ending: str, base: base_model.Base, tmp_path: Path) -> None:
    there = opened(base, str(tmp_path / "pub"))
    written = []
    for number, one in enumerate((base, there)):
        result = searching.search(one, QUERIES[0])
        path = tmp_path / f"{number}.{ending}"
        exporting.export(one, result, path, annotate=ending == "pgn")
        written.append(path.read_bytes())
    assert written[0]
    assert written[1] == written[0]


def test_an_address_gives_the_same(base: base_model.Base, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    there = opened(base, f"file://{tmp_path.as_posix()}/base")
    for query in QUERIES[1:4]:
        wanted, found = (searching.search(one, query) for one in (base, there))
        assert (found.order, found.positions) == (wanted.order, wanted.positions)
    # A copy in the cache that was altered is fetched again.
    wanted = searching.search(there, "check").order
    for path in (folders.cache() / "parts").rglob("*.seg"):
        path.write_bytes(b"altered")
    published._sound.clear()
    assert searching.search(there, "check").order == wanted
    with pytest.raises(errors.SourceError, match=r"no published base.*base\.json"):
        published_bases.open_base(f"file://{tmp_path.as_posix()}/elsewhere", adopt=False)


def test_with_its_headers_in_the_catalog_a_base_can_be_sorted_and_filtered(
    base: base_model.Base, tmp_path: Path
) -> None:
    publishing.publish(base, str(tmp_path / "pub"))
    for _ in range(2):
        report = importing.open_base([tmp_path / "pub"])
        assert report.bad_games == bases.bad_games(base) != ()
        there = report.base
        assert games.ids(there, sort="white", descending=True) == games.ids(
            base, sort="white", descending=True
        )
        assert list(games.ids(there, text="elo>2500")) == list(games.ids(base, text="elo>2500"))
    assert workspace.catalog().count(there.sources[0].id) == base.sources[0].games


def test_a_published_base_is_opened_alone(base: base_model.Base, tmp_path: Path) -> None:
    publishing.publish(base, str(tmp_path / "pub"))
    for other in (base.sources[0].path, tmp_path / "none.pgn"):
        with pytest.raises(errors.SourceError, match="pub is a published base"):
            importing.open_base([tmp_path / "pub", other])


def test_what_is_published_already_is_not_written_again(base: base_model.Base, tmp_path: Path) -> None:
    place = str(tmp_path / "pub")
    token = progress.CancelToken()
    with pytest.raises(errors.Cancelled):
        publishing.publish(base, place, cancel=token, progress=lambda _: token.cancel())
    assert not Path(place, published.LISTING).exists()
    assert places.published_at([place]) is None
    first = publishing.publish(base, place)
    assert 0 < first.written < first.parts
    assert publishing.publish(base, place).written == 0
    # Publishing again mends a damaged file.
    damaged = part_of(Path(place), 1, published.SEGMENT)
    data = damaged.read_bytes()
    damaged.write_bytes(bytes(len(data)))
    assert publishing.publish(base, place).written == 1
    assert damaged.read_bytes() == data
    # A base that is no longer the same replaces its parts.
    smaller = importing.open_base([base.sources[1].path]).base
    publishing.publish(smaller, place)
    kept = {part.name for one in published.Listing.read(places.Place(place)).sources for part in one.parts}
    assert {path.name.partition(".")[0] for path in Path(place, "parts").iterdir()} == kept
    assert published_bases.open_base(place, adopt=False).base.games == smaller.games


def part_of(place: Path, number: int, ending: str) -> Path:
    parts = published.Listing.read(places.Place(str(place))).sources[0].parts
    return place / parts[number].file(ending)


def test_games_that_an_import_left_out_are_not_published(tmp_path: Path) -> None:
    base = importing.open_base([SAMPLE], games="result:1-0").base
    with pytest.raises(errors.CqlguiError, match=r"Only the games of sample\.pgn that fit result:1-0"):
        publishing.publish(base, str(tmp_path / "pub"))
    assert not (tmp_path / "pub").exists()


@pytest.mark.parametrize("ending", [published.SEGMENT, published.HEADERS, published.TEXT])
def test_a_damaged_part_is_named_or_left_out(ending: str, base: base_model.Base, tmp_path: Path) -> None:
    there = opened(base, str(tmp_path / "pub"))
    query = 'not (player "nobody" or originalcomment "no comment")'
    whole = searching.search(there, query)
    segment = part_of(tmp_path / "pub", 1, ending)
    data = bytearray(segment.read_bytes())
    data[-5] ^= 1
    segment.write_bytes(data)
    if ending == published.SEGMENT:
        published._sound.clear()
        with pytest.raises(errors.CqlguiError, match=segment.name):
            searching.search(there, query)
    within, left_out = published_bases.sound(there, None)
    found = searching.search(there, query, search_model.SearchOptions(within=within, left_out=left_out))
    (words,) = found.left_out
    assert segment.name in words
    lost = [int(word) for word in words.replace(":", "").split() if word.isdigit()]
    assert set(whole.order) - set(found.order) == set(range(lost[0], lost[1] + 1))


def test_damaged_headers_and_texts_are_named(base: base_model.Base, tmp_path: Path) -> None:
    there = opened(base, str(tmp_path / "pub"))
    for ending, query in ((published.HEADERS, 'player "Kasparov"'), (published.TEXT, 'originalcomment "x"')):
        path = part_of(tmp_path / "pub", 0, ending)
        data = bytearray(path.read_bytes())
        for at in range(40, len(data), 50):
            data[at] ^= 0x55
        path.write_bytes(data)
        published._sound.clear()
        with pytest.raises(errors.CqlguiError, match=rf"{path.name}.* damaged"):
            searching.search(there, query)
        path.unlink()
        with pytest.raises(errors.CqlguiError, match=rf"{path.name}.* missing"):
            searching.search(there, query)


def test_listings_of_another_version_and_altered_ones_are_refused(
    base: base_model.Base, tmp_path: Path
) -> None:
    publishing.publish(base, str(tmp_path))
    path = tmp_path / published.LISTING
    outer = json.loads(path.read_bytes())
    outer["base"]["sources"][0]["parts"][0]["name"] = "../../../etc/passwd"
    path.write_text(json.dumps(outer))
    with pytest.raises(errors.IndexDamaged, match="altered"):
        published_bases.open_base(str(tmp_path))
    outer["check"] = places.checksum(published._canonical(outer["base"]))
    path.write_text(json.dumps(outer))
    with pytest.raises(errors.IndexDamaged, match="impossible name"):
        published_bases.open_base(str(tmp_path))
    outer["base"]["versions"]["segments"] = 99
    outer["check"] = places.checksum(published._canonical(outer["base"]))
    path.write_text(json.dumps(outer))
    with pytest.raises(errors.SourceError, match=r"another version.*segments 99.*Publish it again"):
        published_bases.open_base(str(tmp_path))


@pytest.mark.parametrize("wrong", [None, -1, 1.5, True, [], 10**30])
@pytest.mark.parametrize("name", ["games", "positions", "offset", "sums", "path", "text_size"])
def test_listings_with_values_of_another_kind_are_refused(
    base: base_model.Base, tmp_path: Path, name: str, wrong: object
) -> None:
    publishing.publish(base, str(tmp_path))
    path = tmp_path / published.LISTING
    outer = json.loads(path.read_bytes())
    source = outer["base"]["sources"][0]
    part = source["parts"][0]
    if name == "sums":
        part["sums"][published.TEXT] = wrong
    else:
        (source if name in source else part)[name] = wrong
    outer["check"] = places.checksum(published._canonical(outer["base"]))
    path.write_text(json.dumps(outer))
    with pytest.raises(errors.IndexDamaged, match=r"base\.json"):
        published_bases.open_base(str(tmp_path))


@pytest.mark.parametrize("ending", [published.HEADERS, published.TEXT])
def test_a_part_that_is_lost_or_altered_after_its_first_use_is_named(
    base: base_model.Base, tmp_path: Path, ending: str
) -> None:
    place = tmp_path / "pub"
    publishing.publish(base, str(place))
    there = published_bases.open_base(str(place)).base
    result = searching.search(there, "mate")

    def use() -> None:
        games.rows(there, [1])
        exporting.export(there, result, tmp_path / "out.pgn", overwrite=True)

    use()
    workspace.close()
    path = part_of(place, 0, ending)
    for data in (path.read_bytes()[:100], b"", None):
        path.unlink()
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(errors.IndexDamaged, match=path.name):
            use()


def test_a_segment_that_is_lost_after_its_first_use_is_named_in_the_same_words(
    base: base_model.Base, tmp_path: Path
) -> None:
    there = opened(base, str(tmp_path / "pub"))
    assert searching.search(there, "mate").order
    path = part_of(tmp_path / "pub", 0, published.SEGMENT)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    with pytest.raises(errors.CqlguiError, match=rf"The file .*{path.name} of .*pub .*(altered|damaged)"):
        searching.search(there, "mate")
    path.unlink()
    with pytest.raises(
        errors.CqlguiError,
        match=rf"The file .*{path.name} of .*pub is missing\. If the base was published again",
    ):
        searching.search(there, "mate")
    path.write_bytes(whole)
    assert searching.search(there, "mate").order


def test_a_gap_between_parts_is_left_out_and_the_others_are_searched_with_machine_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = tmp_path / "again.pgn"
    again.write_bytes(b'[White "Z"]\n\n1. e4 *\n\n' + SAMPLE.read_bytes())
    place = tmp_path / "pub"
    publishing.publish(importing.open_base([SAMPLE, again]).base, str(place))
    whole = searching.search(importing.open_base([SAMPLE, again]).base, "check")
    parts = published.Listing.read(places.Place(str(place))).sources[1].parts
    (place / parts[0].file(published.SEGMENT)).unlink()
    gap = range(501, 501 + parts[0].games)
    assert len(parts) > 1
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path / "there"))
    base = published_bases.open_base(str(place)).base
    within, left_out = published_bases.sound(base, None)
    assert [words.partition(":")[0] for words in left_out] == [f"Games {gap[0]} to {gap[-1]}"]
    assert within is not None
    assert within.tolist() == [game for game in range(1, 1002) if game not in gap]
    found = searching.search(base, "check", search_model.SearchOptions(within=within))
    assert found.games_searched == len(within)
    assert list(found.order) == [game for game in whole.order if game not in gap]
    if not native.available():
        return  # The interpreter searches these games.
    # The plan that was made for all games is used for all that are left.
    chosen = sieving.plan(queries.expanded("check"))
    with sieving.Sieve(chosen, base.sources, chosen.straight, within=within) as sieve:
        passed = 0
        while not sieve.exhausted:
            chunk = sieve.take(10)
            passed += 0 if chunk is None else chunk.passed
    assert sieve.fault is None
    assert passed == len(within)


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "pub"

    def said(*words: str | Path) -> tuple[int, str, str]:
        code = run.main(list(map(str, words)))
        return code, *capsys.readouterr()

    code, out, _ = said("publish", SAMPLE, "-o", place)
    assert code == 0
    assert out.startswith("500 games in 2 parts, 2 new")
    query = ("-e", "mate", "--jsonl", "--games", "year>1850")
    _, wanted, _ = said("search", SAMPLE, *query)
    # A computer that has never seen the files.
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path / "there"))
    code, out, _ = said("search", place, *query)
    assert code == 0
    assert out == wanted != ""
    segment = part_of(place, 1, published.SEGMENT)
    segment.unlink()
    query = ("-e", "mate", "--count")
    code, _, err = said("search", place, *query)
    assert code == 2
    assert segment.name in err
    code, out, err = said("search", place, *query, "--partial")
    assert code == 2
    assert "Left out: Games 201 to 500" in err
    assert out.endswith("positions\n")
