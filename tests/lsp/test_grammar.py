"""The client for VS Code: its grammar finds the lexer's tokens, and its files fit together."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cqlgui.cli import arguments
from cqlgui.cql.source.tokens import Kind
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.vocabulary import registry
from tests import helpers

CLIENT = helpers.ROOT / "packaging" / "vscode"
GRAMMAR = CLIENT / "chess-cql.tmLanguage.json"
KINDS = {
    "keyword.control": Kind.KEYWORD,
    "support.function.transform": Kind.TRANSFORM,
    "variable.other.enummember.direction": Kind.DIRECTION,
    "constant.numeric": Kind.NUMBER,
    "string.quoted": Kind.STRING,
    "constant.language.designator": Kind.DESIGNATOR,
    "keyword.operator": Kind.OPERATOR,
    "comment": Kind.COMMENT,
    "variable.other": Kind.NAME,
    "punctuation.section": Kind.BRACKET,
    "constant.numeric.result": Kind.RESULT,
    "invalid.illegal": Kind.ERROR,
}


class Grammar:
    """Colours texts as an editor does: line by line, and at each place by the first rule that matches there.

    An editor looks for the match that begins first. As the last rule takes any sign but white space, that is
    one that begins at the place itself.
    """

    def __init__(self, rules: list[dict[str, Any]]) -> None:
        self.rules = [(re.compile(rule.get("match") or rule["begin"]), rule) for rule in rules]

    def kinds(self, text: str) -> list[Kind | None]:
        """The kind of each character; None for white space outside of tokens."""
        found: list[Kind | None] = []
        open_rule: dict[str, Any] | None = None
        for line in text.split("\n"):
            colours: list[Kind | None] = [None] * len(line)
            at = 0
            while at < len(line):
                if open_rule is not None:
                    close = re.compile(open_rule["end"]).search(line, at)
                    end = close.end() if close else len(line)
                    colours[at:end] = [kind_of(open_rule)] * (end - at)
                    at, open_rule = end, None if close else open_rule
                    continue
                rule, match = next(
                    ((rule, match) for regex, rule in self.rules if (match := regex.match(line, at))),
                    ({}, None),
                )
                if match is None:
                    assert line[at].isspace() or line[at] == "\ufeff", line[at:]
                    at += 1
                    continue
                if "captures" in rule:
                    for number, inner in rule["captures"].items():
                        start, end = match.span(int(number))
                        colours[start:end] = [kind_of(inner)] * (end - start)
                else:
                    colours[at : match.end()] = [kind_of(rule)] * (match.end() - at)
                open_rule = rule if "begin" in rule else None
                assert match.end() > at
                at = match.end()
            found += [*colours, None]
        return found[: len(text)]


def kind_of(rule: dict[str, Any]) -> Kind:
    return KINDS[rule["name"].removesuffix(".chess-cql")]


def of_the_lexer(text: str) -> list[Kind | None]:
    return [
        None if token.kind is Kind.WHITESPACE or sign == "\n" else token.kind
        for token in lexer.tokens(text)
        for sign in token.text
    ]


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar(json.loads(GRAMMAR.read_text(encoding="utf-8"))["patterns"])


def test_the_grammar_is_up_to_date() -> None:
    """After a failure run `python packaging/make_grammar.py`."""
    made = runpy.run_path(str(helpers.ROOT / "packaging" / "make_grammar.py"))["grammar"]()
    assert GRAMMAR.read_text(encoding="utf-8") == made


def test_the_library_has_the_colours_of_the_lexer(grammar: Grammar) -> None:
    files = sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))
    assert len(files) > 100
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert grammar.kinds(text) == of_the_lexer(text), path.name


def test_every_keyword_and_example_has_the_colours_of_the_lexer(grammar: Grammar) -> None:
    for row in registry.ROWS:
        for text in (row.name, row.sign, row.example, *row.forms):
            assert grammar.kinds(text) == of_the_lexer(text), text


@pytest.mark.parametrize("name", ["invalid", "queries"])
def test_texts_with_and_without_faults_have_the_colours_of_the_lexer(
    grammar: Grammar, shared: Path, name: str
) -> None:
    lines = (shared / "conformance" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    others = []
    for line in lines:
        text = json.loads(line)["query"]
        # A string that goes on in the next line is beyond a grammar of lines.
        if any(token.kind is Kind.STRING and "\n" in token.text for token in lexer.tokens(text)):
            continue
        if grammar.kinds(text) != of_the_lexer(text):
            others.append(text)
    assert others == []


@pytest.mark.parametrize(
    "text",
    [
        "[Aa]x [Aa]attacks k [Aa]a1 ◭x◭",
        "x[1] 3[1] up[2] flip[2] K[ {2}[a] mate[x]K 3[a1,b1] \\n[1",
        "//a\n///b\n////c\n;d\n/*e\nf*/g/*h",
        "1-0 1-01 1/2-1/2 o-o o-o-o o-oo {2,} {*}{+} \\1 \\-12 \\t",
        'input a.pgn output "b.pgn" inputs a.pgn',
        "♔♕e4 [♔♛]a-h1-8 Ra9 [Kk]a1 Kk e4 [a1,c3-5] ✵⬓⊢◎∙ ――×∊",
        '\'single\' "double" "open',
        "§ü \\ ' ` \U0001f600 $x _x _",
    ],
)
def test_odd_tokens_have_the_colours_of_the_lexer(grammar: Grammar, text: str) -> None:
    assert grammar.kinds(text) == of_the_lexer(text)


def test_the_files_of_the_client_fit_together() -> None:
    manifest = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    contributes = manifest["contributes"]
    (language,), (colours,) = contributes["languages"], contributes["grammars"]
    assert language["extensions"] == [".cql"]
    named = [manifest["main"], language["configuration"], colours["path"]]
    assert all((CLIENT / name).is_file() for name in named)
    made = json.loads(GRAMMAR.read_text(encoding="utf-8"))
    assert made["scopeName"] == colours["scopeName"]
    server = contributes["configuration"]["properties"]["chess-cql.server"]
    assert server["default"][0] == "cqlgui"
    assert server["default"][1] in arguments.SUBCOMMANDS
    # A folder that somebody else made may not say which program is started.
    assert server["scope"] == "machine"
    script = (CLIENT / manifest["main"]).read_text(encoding="utf-8")
    assert f'language: "{language["id"]}"' in script
    assert language["id"] == colours["language"] == "chess-cql"
    json.loads((CLIENT / language["configuration"]).read_text(encoding="utf-8"))


def test_the_script_of_the_client_is_javascript() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so the script of the client is not checked")
    done = subprocess.run(
        [node, "--check", str(CLIENT / "extension.js")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
