"""The file of a study: what it says, and what is said of a bad one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import library, queries
from cqlgui.tasks.studies import study_text
from tests import helpers


def read(tmp_path: Path, text: str | bytes) -> study_text.Study:
    path = tmp_path / "s.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return study_text.read(path)


def fault(tmp_path: Path, text: str | bytes) -> str:
    """What is said of a bad study, without the folder."""
    with pytest.raises(study_text.StudyError) as raised:
        read(tmp_path, text)
    return str(raised.value).replace(f"{tmp_path}{os.sep}", "")


MATE = '[[query]]\nname = "Mate"\ntext = "mate"\n'


def test_a_study_says_what_it_asks(tmp_path: Path) -> None:
    (tmp_path / "q.cql").write_text("// title: From a file\ncheck\n")
    found = read(
        tmp_path,
        'title = "T"\nbases = ["a.pgn", "d/b.cqlbase"]\ngames = "elo>2400"\nsamples = 4\nseed = 9\n'
        '[[query]]\nname = "One"\ntext = """\nmate"""\ngames = "year:1990-"\nvariations = true\n'
        '[[query]]\nfile = "q.cql"\n[[query]]\ntheme = "endings/lucena"\n[groups]\nelo = 200\nyears = 10\n',
    )
    assert (found.title, found.elo, found.years, found.samples, found.seed) == ("T", 200, 10, 4, 9)
    assert found.bases == (tmp_path / "a.pgn", tmp_path / "d" / "b.cqlbase")
    assert [one.name for one in found.questions] == ["One", "From a file", "Lucena position"]
    first, second, third = found.questions
    assert (first.text, first.games, first.variations) == ("mate", "elo>2400 year:1990-", True)
    assert (second.games, second.variations, library.body(second.text)) == ("elo>2400", False, "check")
    lucena = helpers.ROOT / "resources" / "queries" / "endings" / "lucena.cql"
    assert third.text == lucena.read_text(encoding="utf-8")


def test_a_study_may_ask_for_judges_but_not_name_them(tmp_path: Path) -> None:
    found = read(tmp_path, f'judge = ["syzygy", "engine"]\n{MATE}')
    assert found.judge == ("syzygy", "engine")
    program = "/usr/games/stockfish"
    assert fault(tmp_path, f'engine = "{program}"\n{MATE}').startswith("s.toml:1: A study has no key engine.")
    for value in (f'["{program}"]', f'"{program}"', "[1]", "true"):
        assert (
            fault(tmp_path, f"judge = {value}\n{MATE}") == "s.toml:1: judge is a list of syzygy and engine."
        )


def test_only_a_query_is_required(tmp_path: Path) -> None:
    found = read(tmp_path, '[[query]]\ntext = "mate"\n')
    assert (found.title, found.bases, found.samples, found.elo, found.years) == ("s", (), 0, None, None)
    assert found.questions[0].name == "Query 1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = \n", "s.toml:1:9: This is not TOML: Invalid value."),
        ("title = 1\n[[query]\n", "s.toml:2:8: This is not TOML: Expected ']]' at the end of an array dec"),
        ('a = "x', "s.toml:1:7: This is not TOML: "),
        (b"# \n# \xff\n", "s.toml:2: This is not UTF-8 text."),
        ("a = " + "[" * 100_000, "s.toml: This is not a study: its lists are nested too deeply."),
        ("", "s.toml: The study has no query: a table [[query]] is missing."),
        (f"titel = 'x'\n{MATE}", "s.toml:1: A study has no key titel. Did you mean title?"),
        (f"{MATE}[groups]\nelos = 3\n", "s.toml:5: groups has no key elos. Did you mean elo?"),
        (f"{MATE}{MATE[:10]}txt = 'mate'\n", "s.toml:5: A query has no key txt. Did you mean text?"),
        (f"{MATE}zzzz = 1\n", "s.toml:4: A query has no key zzzz. Known are name, text, file, theme"),
        ("bases = 'a.pgn'\n" + MATE, "s.toml:1: bases is a list of file names."),
        ("bases = [1]\n" + MATE, "s.toml:1: bases is a list of file names."),
        ("groups = 5\n" + MATE, "s.toml:1: groups is a table, as in [groups]."),
        ("query = 5\n", "Each query is a table of its own, [[query]]."),
        ("[[query]]\nname = 'x'\n", "s.toml:1: A query has one of text, file and theme; none is there."),
        (MATE + "file = 'x'\n", "s.toml:4: A query has one of text, file and theme; text and file exclude"),
        (MATE + "\n" + MATE, "s.toml:6: Two queries have the name “Mate”, as in line 2."),
        (MATE + "variations = 1\n", "s.toml:4: variations is true or false."),
        ("title = 7\n" + MATE, "s.toml:1: title is a text in quotes."),
        (MATE + "games = 'elo>x'\n", "s.toml:4: games: elo takes a number or a range"),
        ("games = 'colour:x'\n" + MATE, "s.toml:1: games: There is no field colour"),
        (MATE + "[groups]\nelo = 0\n", "s.toml:5: elo is a whole number from 1 to 10000."),
        (MATE + "[groups]\nyears = true\n", "s.toml:5: years is a whole number from 1 to 10000."),
        ("samples = 101\n" + MATE, "s.toml:1: samples is a whole number from 0 to 100."),
        ("samples = 1.5\n" + MATE, "s.toml:1: samples is a whole number from 0 to 100."),
        # A line of a query is no key, and a comment is none.
        ("# txt = 1\n[[query]]\ntext = '''\ntxt = 1\n'''\ntxt = 1\n", "s.toml:6: A query has no key txt."),
    ],
)  # fmt: skip
def test_a_bad_study_is_refused_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in fault(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{MATE}[grups]\nelo = 3\n", "s.toml:4: A study has no key grups. Did you mean groups?"),
        (f"{MATE}[[querry]]\ntext = 'x'\n", "s.toml:4: A study has no key querry. Did you mean query?"),
        (f"{MATE}[x.y]\nz = 3\n", "s.toml:4: A study has no key x. Known are title"),
        (f"{MATE}['grups']\nelo = 3\n", "s.toml:4: A study has no key grups."),
        (f'"titel" = "x"\n{MATE}', "s.toml:1: A study has no key titel."),
        (f"groups.elos = 3\n{MATE}", "s.toml:1: groups has no key elos."),
        (f"groups = {{elo = 0}}\n{MATE}", "s.toml:1: elo is a whole number from 1 to 10000."),
        (f"{MATE}[groups.elo]\nx = 1\n", "s.toml:4: elo is a whole number from 1 to 10000."),
        ("\nquery = [{text = 'mate', games = 'elo>x'}]\n", "s.toml:2: games: elo takes a number"),
        ("bases = [\n'a',\n['grups']\n]\n\ngames = 'elo>x'\n" + MATE, "s.toml:6: games: elo takes a number"),
        ("\n[query]\ntext = 'mate'\n", "s.toml:2: Each query is a table of its own, [[query]]."),
    ],
)  # fmt: skip
def test_faults_in_unusual_spellings_have_their_lines(tmp_path: Path, text: str, said: str) -> None:
    assert said in fault(tmp_path, text).splitlines()[-1]


def test_all_faults_of_a_study_are_told_in_their_order(tmp_path: Path) -> None:
    text = (
        "titel = 'x'\nsamples = 'many'\ngames = 'elo>x'\nbases = 5\n"
        "[[query]]\nname = 'A'\ntext = 'mate'\nvariations = 3\n"
        "[[query]]\nname = 'A'\ntext = 'K & matte'\ngames = 'colour:x'\n"
        "[[query]]\n"
        "[[query]]\nfile = 'gone.cql'\n"
        "[groups]\nelo = 0\nyear = 10\n"
        "[grups]\n"
    )
    told = [line for line in fault(tmp_path, text).splitlines() if line.startswith("s.toml:")]
    assert [(int(line.split(":")[1]), line.split(": ")[1]) for line in told] == [
        (1, "A study has no key titel. Did you mean title?"),
        (2, "samples is a whole number from 0 to 100."),
        (3, "games"),
        (4, "bases is a list of file names."),
        (8, "variations is true or false."),
        (10, "Two queries have the name “A”, as in line 6."),
        (11, "error[undeclared-name]"),
        (12, "games"),
        (13, "A query has one of text, file and theme; none is there."),
        (15, "gone.cql does not exist."),
        (17, "elo is a whole number from 1 to 10000."),
        (18, "groups has no key year. Did you mean years?"),
        (19, "A study has no key grups. Did you mean groups?"),
    ]


def test_files_that_are_no_studies_are_refused(tmp_path: Path) -> None:
    with pytest.raises(study_text.StudyError, match="is a folder, not a study"):
        study_text.read(tmp_path)
    with pytest.raises(study_text.StudyError, match="cannot be read: No such file"):
        study_text.read(tmp_path / "none.toml")
    with pytest.raises(study_text.StudyError, match=r"none does not exist.*endings, themes"):
        study_text.located(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(study_text.StudyError, match="is no ordinary file"):
        study_text.read(tmp_path / "pipe.toml")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('file = "gone.cql"', "gone.cql does not exist."),
        ('file = "."', "is a folder, not a query file."),
        ('file = "pipe.cql"', "pipe.cql is no ordinary file."),
        ('file = "latin.cql"', "latin.cql is not UTF-8 text (byte 0, line 1)."),
        (
            'theme = "endings/lucenna"',
            "no theme endings/lucenna in the library. Did you mean endings/lucena?",
        ),
        ('theme = "lucena"', "no theme lucena in the library. Did you mean endings/lucena?"),
        ('theme = "../queries/endings/lucena"', "There is no theme ../queries/endings/lucena"),
    ],
)
def test_a_query_that_cannot_be_read_is_named_and_leaves_the_others(
    tmp_path: Path, entry: str, said: str
) -> None:
    os.mkfifo(tmp_path / "pipe.cql")
    (tmp_path / "latin.cql").write_bytes(b"\xff")
    found = read(tmp_path, f"{MATE}\n[[query]]\nname = 'bad'\n{entry}\n")
    sound, bad = found.questions
    assert (sound.fault, study_text.refused(sound)) == ("", ())
    (message,) = study_text.refused(bad)
    assert message.startswith(f"{tmp_path / 's.toml'}:7: ")
    assert said in message


@pytest.mark.parametrize("quotes", ["'''", '"""', "'", '"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_errors_of_a_query_have_their_place_in_the_study(tmp_path: Path, quotes: str, end: str) -> None:
    first = "\n" if len(quotes) == 3 else ""
    before = "# text = 1\n[[query]]\ntext = 'mate'\n[[query]]\nname = 'x'\n"
    text = f"{before}text = {quotes}{first}K & matte{quotes}\n"
    found = read(tmp_path, text.replace("\n", end))
    (message,) = study_text.refused(found.questions[1])
    row = text.split("\n").index(f"K & matte{quotes}" if first else f"text = {quotes}K & matte{quotes}")
    column = text.split("\n")[row].index("matte")
    assert message.startswith(f"{tmp_path / 's.toml'}:{row + 1}:{column + 1}: error[")


def test_errors_of_a_query_that_is_not_written_letter_by_letter_name_the_query(tmp_path: Path) -> None:
    found = read(tmp_path, '[[query]]\nname = "x"\ntext = "K &\\u0020matte"\n')
    (message,) = study_text.refused(found.questions[0])
    assert message.startswith(f"{tmp_path / 's.toml'}:3: query “x”:1:5: error[")


def test_errors_in_a_file_have_their_place_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "q.cql").write_text("// title: A\n\nmatte\n")
    (message,) = study_text.refused(read(tmp_path, '[[query]]\nfile = "q.cql"\n').questions[0])
    assert message.startswith(f"{tmp_path / 'q.cql'}:3:1: error[")


def test_a_query_of_a_study_reads_and_writes_no_files(tmp_path: Path) -> None:
    found = read(tmp_path, """[[query]]\ntext = 'readfile "/etc/hosts.cql"'\n""")
    (message,) = study_text.refused(found.questions[0])
    assert "error[file-access]" in message


@pytest.mark.parametrize("name", sorted(study_text.shipped()))
def test_shipped_studies_have_no_errors_and_no_warnings(name: str) -> None:
    found = study_text.read(study_text.shipped()[name])
    assert len(found.questions) > 10
    for one in found.questions:
        assert study_text.refused(one) == ()
        told = [diagnostics.render(one.text, finding) for finding in queries.findings(one.text)]
        assert told == []
    assert all(path.is_file() for path in found.bases)


def test_the_shipped_studies_are_endings_and_themes() -> None:
    assert {"endings", "themes"} <= study_text.shipped().keys()
    assert len(study_text.read(study_text.shipped()["themes"]).questions) == 20


def test_an_own_query_is_a_theme_too(tmp_path: Path) -> None:
    folder = library.own_folder() / "mine"
    folder.mkdir()
    library.save(folder / "t.cql", "// title: Own\nmate\n")
    assert read(tmp_path, '[[query]]\ntheme = "mine/t"\n').questions[0].name == "Own"


def test_the_example_is_a_study_that_runs(tmp_path: Path) -> None:
    odd = tmp_path / 'a "b" é.pgn'
    for bases in ([], [odd]):
        path = tmp_path / "example.toml"
        study_text.write_example(path, bases)
        found = study_text.read(path)
        assert list(found.bases) == bases
        assert [study_text.refused(one) for one in found.questions] == [()] * 3


@pytest.mark.parametrize(
    "text", ["check", "cql(quiet) check", "cql(variations)\ncheck", "// title: One\n// tags: a\ncheck"]
)
def test_a_query_alone_searches_what_it_searches_in_the_study(tmp_path: Path, text: str) -> None:
    given = f"[[query]]\ntext = '''\n{text}'''\n"
    (one,) = read(tmp_path, f"{given}variations = true").questions
    (other,) = read(tmp_path, given).questions
    found = check.check(one.alone)
    assert found.query is not None
    assert found.query.header.variations
    assert (library.title(one.alone), library.body(one.alone).endswith("check")) == (
        library.title(text),
        True,
    )
    assert other.alone == text
