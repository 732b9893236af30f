"""The state of a parse: the significant tokens with balanced brackets, the current position, and the errors,
names and types so far.

An error in the text raises no exception. Only two things end the parse early: a nesting that is too deep
(`TooDeepError`), and too many findings (`TooManyError`). A grammar rule that fails reports one error and
returns `Broken`. A node with a broken part is broken too, and no further error is reported for this node. A
second report at the same token is dropped, because both reports probably come from one mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.diagnostics import Diagnostic, Span
from cqlgui.cql.source.tokens import END, TRIVIA, Kind, Token
from cqlgui.cql.syntax.reading.lexer import UNTERMINATED_COMMENT
from cqlgui.cql.vocabulary import registry

MAX_DEPTH = 120
"""The greatest number of nested brackets and prefix words in a text. Each level costs the parser some frames
of Python's stack."""
MAX_HEIGHT = 200
"""The greatest number of levels in a tree. A long chain of operators makes many levels even without
brackets."""
MAX_DIAGNOSTICS = 100

CLOSER_OF = {"(": ")", "{": "}", "[": "]"}
CLOSERS = frozenset(CLOSER_OF.values())


_BLANK_LINE = pattern(r"\n[^\S\n]*\n")


class Broken(nodes.Node):
    """Stands for a filter that could not be read. The parser never returns such a node to its caller."""


class TooDeepError(Exception):
    """The text nests deeper than `MAX_DEPTH`. The error has been reported already."""


class TooManyError(Exception):
    """The text has more findings than `MAX_DIAGNOSTICS`."""


@dataclass(slots=True)
class Definition:
    """A function of the query. `tokens` holds the body with the closing brace, or None if the definition
    could not be read. `faulty` is True if a call has already reported the errors of the body."""

    name: str
    parameters: tuple[str, ...]
    tokens: list[Token] | None
    faulty: bool = False


class Cursor:
    """The state of one parse. Grammar rules read with `peek`, `take` and `expression`, and report errors with
    `report`. The methods `expression` and `primary` call the functions of the grammar that the constructor
    was given."""

    def __init__(
        self,
        text: str,
        diagnostics: Iterable[Diagnostic],
        expression: Callable[[Cursor, int], nodes.Node],
        primary: Callable[[Cursor], nodes.Node],
    ) -> None:
        self._expression, self._primary = expression, primary
        self.text = text
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        self._end = Token(Kind.WHITESPACE, "", len(text), END)
        self.tokens: list[Token] = []
        self._limit: int | None = None
        self.position = 0
        self.depth = 0
        # `spoken` is the offset of the current operand of `comment` or a similar filter. If `player` or a
        # similar filter begins at this offset, a string directly after the filter is an operand of its own.
        # The string is not searched for in the player's name.
        self.spoken = -1
        # The offset of the `=` that begins the promotion of the current dash. This `=` is no assignment.
        self.promotion_sign = -1
        # The offsets of dashes that belong to a filter such as `currentmove` at the top level of a path. If a
        # blank and a bracket follow one of these dashes, the bracket is not the target of the dash.
        self.path_dashes: set[int] = set()
        # Up to this token index, the signs `+` and `*` that are wildcards of `line` filters have been found.
        self.lines_until = -1
        self.bound: list[str] = []
        self.sorts: dict[str, tuple[bool, bool]] = {}
        """Maps the text of each sort key to two flags. The first flag is True if the values of the key are
        strings. The second flag is True if the smallest of several values of a game is kept, and False if the
        largest value is kept."""
        # The offsets of the tokens that follow a blank line.
        self.after_blank: set[int] = set()
        self.unclosed: set[int] = set()
        # Whether an unterminated comment hides the end of the text. If the end is hidden, nothing is reported
        # as missing at the end.
        self._cut_short = any(one.code == UNTERMINATED_COMMENT for one in self.diagnostics)
        self.names: dict[str, Type | None] = {}
        self.dictionaries: dict[str, types.Entries] = {}
        self.functions: dict[str, Definition] = {}
        self.calls: list[str] = []
        self.expanded = 0
        self.words: frozenset[str] = frozenset()
        self.persistent: set[str] = set()
        self.atomic: set[str] = set()
        self._types = types.Names(self.names, self.dictionaries)  # type: ignore[arg-type]  # unknown types are never looked up
        self._quiet_at = -1
        # Expressions that `look_ahead` has read. Each key is the offset of an expression. The value is a
        # pair: the expression, and the position after the last token of the expression.
        self._ahead: dict[int, tuple[nodes.Node, int]] = {}

    def load(self, tokens: Iterable[Token]) -> None:
        """Take over the tokens to parse. This method may raise `TooDeepError`."""
        blank = False
        significant = []
        for token in tokens:
            if token.kind not in TRIVIA:
                if blank:
                    self.after_blank.add(token.offset)
                    blank = False
                significant.append(token)
            elif token.kind is Kind.WHITESPACE and _BLANK_LINE.search(token.text):
                blank = True
        self._balance(significant)
        self.words = frozenset(token.text for token in self.tokens if token.kind is Kind.NAME)

    # --- filters
    # -------------------------------------------------------------------------------------------------

    def expression(self, level: int) -> nodes.Node:
        """Read one filter with operators up to a precedence level (0: a primary, 14: any filter)."""
        return self._expression(self, level)

    def primary(self) -> nodes.Node:
        """Read one primary: a literal, a name, brackets, or a filter that begins with a keyword."""
        return self._primary(self)

    # --- tokens
    # -------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or the token `ahead` places after the next token. After the last token, the result
        is an END token."""
        place = self.position + ahead
        if place >= len(self.tokens) or (self._limit is not None and place >= self._limit):
            return self._end
        return self.tokens[place]

    def take(self) -> Token:
        """Consume and return the next token. An END token is returned but not consumed."""
        token = self.peek()
        if token.word != END:
            self.position += 1
        return token

    def take_whole(self) -> None:
        """Consume the next token. If the token is an opening bracket, also consume everything up to and
        including the closing bracket."""
        if self.take().word in CLOSER_OF:
            self.skip_group()
            self.take()

    def accept(self, word: str) -> Token | None:
        """Consume the next token if its word is `word`."""
        return self.take() if self.peek().word == word else None

    def since(self, offset: int) -> Span:
        """The span from `offset` to the end of the last consumed token."""
        end = self.tokens[self.position - 1].end if self.position else offset
        return Span(offset, max(end - offset, 0))

    def at_end_of_group(self) -> bool:
        """True at a closing bracket or the end of the text."""
        return self.peek().word in CLOSERS or self.peek().word == END

    def limited(self, stop: int, read: Callable[[], None]) -> None:
        """Run `read` as if the text ended before the token with index `stop`."""
        before, end, lines = self._limit, self._end, self.lines_until
        self.lines_until = -1
        if before is None or stop < before:
            self._limit = stop
            last = self.tokens[stop - 1].end if stop else 0
            self._end = end._replace(offset=last)
        read()
        self._limit, self._end, self.lines_until = before, end, lines

    def inside(self, tokens: list[Token], read: Callable[[], None]) -> None:
        """Run `read` on `tokens`, which are other tokens of this text. `tokens` must end with a closing
        bracket."""
        kept = self.tokens, self.position, self._limit, self.lines_until
        self.tokens, self.position, self._limit, self.lines_until = tokens, 0, None, -1
        self._quiet_at = -1
        read()
        self.tokens, self.position, self._limit, self.lines_until = kept
        self._quiet_at = -1

    def skip_group(self) -> None:
        """Go to the closing bracket of the current group, or to the end of the text."""
        level = 0
        while (token := self.peek()).word != END:
            if token.word in CLOSER_OF:
                level += 1
            elif token.word in CLOSERS:
                if level == 0:
                    return
                level -= 1
            self.position += 1

    def look_ahead(self, tokens: int, level: int) -> nodes.Node:
        """Read the expression that begins `tokens` tokens after the next token, and consume nothing.
        `taken_ahead` returns the same node later. Reading the expression a second time would report its
        errors twice and declare its names twice."""
        before = self.position
        self.position += tokens
        start = self.peek().offset
        node = self.expression(level)
        self._ahead[start] = node, self.position
        self.position = before
        return node

    def taken_ahead(self) -> nodes.Node | None:
        """Consume and return the expression that begins here, if `look_ahead` has read it. If `look_ahead`
        has read no expression here, return None."""
        found = self._ahead.pop(self.peek().offset, None)
        if found is None:
            return None
        node, self.position = found
        return node

    # --- findings
    # -----------------------------------------------------------------------------------------------

    @property
    def errors(self) -> int:
        """The number of errors so far. A grammar rule compares the numbers before and after reading its
        parts, to see whether the parts have errors."""
        return len(self.diagnostics)

    def report(self, span: Span, code: str, message: str, hint: str = "") -> Broken:
        """Record an error, and return a broken node in place of the faulty filter."""
        if self._quiet_at == self.position and self.diagnostics:
            return Broken(span)
        self._quiet_at = self.position
        self.diagnostics.append(Diagnostic(span, code, message, hint))
        if len(self.diagnostics) > MAX_DIAGNOSTICS:
            raise TooManyError
        return Broken(span)

    def report_always(self, span: Span, code: str, message: str, hint: str = "") -> Broken:
        """Like `report`, for an error in tokens that are already consumed, such as a wrong type. The error is
        never dropped as a repetition."""
        self._quiet_at = -1
        broken = self.report(span, code, message, hint)
        self._quiet_at = -1
        return broken

    def hush(self) -> None:
        """Make `report` drop further errors at the next token, because an error there has been reported
        already."""
        self._quiet_at = self.position

    @property
    def _ending(self) -> str:
        """The beginning of an error message: it says whether the text, a line or a path ends here."""
        if self._limit is None:
            return "The text ends"
        blank = self._limit < len(self.tokens) and self.tokens[self._limit].offset in self.after_blank
        return "The path ends at this blank line" if blank else "The line ends"

    def expected(self, what: str, hint: str = "") -> Broken:
        """Report that `what` is missing here."""
        token = self.peek()
        if token.word == END or (token.word in CLOSERS and not token.text):
            # If a closing bracket has no text, `_balance` has added it for an unclosed bracket. An added
            # bracket counts as the end of the text.
            if self._cut_short and self._limit is None:
                return Broken(token.span)
            return self.report(
                token.span, "unexpected-end", f"{self._ending} where {what} should follow.", hint
            )
        if token.word in CLOSERS:
            return self.report(
                token.span, "missing-operand", f"Before this {token.text} {what} is missing.", hint
            )
        return self.report(token.span, "unexpected-token", f"Expected {what}, not `{shown(token)}`.", hint)

    # --- types
    # --------------------------------------------------------------------------------------------------

    def type_of(self, node: nodes.Node) -> Type | None:
        """The type of a node, or None for a broken node."""
        return None if isinstance(node, Broken) else types.infer(node, self._types)

    def made(self, node: nodes.Node, *parts: nodes.Node) -> nodes.Node:
        """`node`, or a broken node if any of `parts` is broken."""
        return Broken(node.span) if any(isinstance(part, Broken) for part in parts) else node

    def operand(self, level: int, wanted: frozenset[Type], owner: str, what: str = "") -> nodes.Node:
        """Read the operand of `owner` at `level`, and check the type of the operand."""
        start = self.peek().offset
        node = self.expression(level)
        return self.insist(node, wanted, owner, start, what)

    def insist(
        self, node: nodes.Node, wanted: frozenset[Type], owner: str, start: int, what: str = ""
    ) -> nodes.Node:
        """`node` if its type is one of `wanted`. If the type is not in `wanted`, report an error and return a
        broken node. `start` is the offset of the text of the node."""
        kind = self.type_of(node)
        if kind is None or kind in wanted:
            return node
        need = what or listed(wanted)
        return self.report_always(
            self.since(start), "type-mismatch", f"{owner} needs {need} here, and this is {TYPE_WORDS[kind]}."
        )

    def declare(self, name: Token, kind: Type | None) -> bool:
        """Give a variable its type. If the variable already has another type, report an error and return
        False."""
        before = self.names.get(name.text)
        if before is None or kind is None:
            if before is None:
                self.names[name.text] = kind
            return True
        if before is kind:
            return True
        self.report_always(
            name.span, "type-mismatch",
            f"`{name.text}` holds {TYPE_WORDS[before]} already and cannot become {TYPE_WORDS[kind]}.",
            "a variable keeps the type of its first use; take another name",
        )  # fmt: skip
        return False

    def unbound(self, name: Token) -> bool:
        """True if no surrounding filter binds the name. If a surrounding filter binds the name, report an
        error and return False."""
        if name.text not in self.bound:
            return True
        message = f"`{name.text}` is the variable of a filter around this one already."
        self.report_always(name.span, "already-bound", message, "take another name inside")
        return False

    # --- brackets
    # -----------------------------------------------------------------------------------------------

    def _balance(self, tokens: Iterable[Token]) -> None:
        """Fill `self.tokens` so that every bracket has a partner. A bracket without a partner in the text is
        reported."""
        stack: list[Token] = []
        for token in tokens:
            if token.kind is Kind.BRACKET and token.word in CLOSER_OF:
                stack.append(token)
                if len(stack) > MAX_DEPTH:
                    self.too_deep(token.span)
            elif token.kind is Kind.BRACKET and token.word in CLOSERS:
                closer = self._close(stack, token)
                if closer is None:
                    continue
                token = closer
            self.tokens.append(token)
        for opener in reversed(stack):
            self._unclosed(opener)
            self.tokens.append(self._virtual(opener, len(self.text)))

    def _close(self, stack: list[Token], closer: Token) -> Token | None:
        """Match a closing bracket with the open brackets. Return `closer` if an open bracket matches. If
        `closer` has the wrong shape, return a substitute. If `closer` must be dropped, return None."""
        if stack and CLOSER_OF[stack[-1].word] == closer.word:
            stack.pop()
            return closer
        if not any(CLOSER_OF[opener.word] == closer.word for opener in stack):
            if not stack:
                self._unbalanced(closer, f"Nothing was opened that this `{closer.word}` could close.")
                return None
            due = CLOSER_OF[stack.pop().word]
            self._unbalanced(closer, f"This should be `{due}`.")
            return closer._replace(word=due)
        while CLOSER_OF[stack[-1].word] != closer.word:
            opener = stack.pop()
            self._unclosed(opener)
            self.tokens.append(self._virtual(opener, closer.offset))
        stack.pop()
        return closer

    def _unclosed(self, opener: Token) -> None:
        self.unclosed.add(opener.offset)
        self._unbalanced(opener, f"This `{opener.word}` is never closed.")

    def close(self, opener: Token) -> None:
        """Consume the closing bracket of `opener`. Report and skip everything before the closing bracket.

        If `opener` is never closed, the report points at the place that needs the closing bracket, not at
        `opener`.
        """
        token = self.peek()
        if not self.at_end_of_group():
            if opener.offset in self.unclosed:
                self.diagnostics = [one for one in self.diagnostics if one.span != opener.span]
                due = CLOSER_OF[opener.word]
                self.report_always(token.span, "unbalanced-bracket", f"Before this a `{due}` is missing.")
            else:
                self.expected(f"`{CLOSER_OF[opener.word]}`")
            self.skip_group()
        self.take()

    def _unbalanced(self, token: Token, message: str) -> None:
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(Diagnostic(token.span, "unbalanced-bracket", message))

    def _virtual(self, opener: Token, offset: int) -> Token:
        return Token(Kind.BRACKET, "", offset, CLOSER_OF[opener.word])

    def too_deep(self, span: Span) -> None:
        """Report that the text nests too deeply, and end the parse."""
        message = f"The query nests deeper than {MAX_DEPTH} levels here."
        self.diagnostics.append(Diagnostic(span, "too-deep", message))
        raise TooDeepError


TYPE_WORDS = {
    Type.SET: "a set of squares",
    Type.NUMERIC: "a number",
    Type.STRING: "a string",
    Type.POSITION: "a position",
    Type.LOGICAL: "a condition without a value",
    Type.PIECE: "a piece",
    Type.DICTIONARY: "a dictionary",
}
SET = frozenset({Type.SET, Type.PIECE})
NUMERIC = frozenset({Type.NUMERIC})
STRING = frozenset({Type.STRING})
POSITION = frozenset({Type.POSITION})
VALUES = frozenset({Type.SET, Type.PIECE, Type.NUMERIC, Type.STRING, Type.POSITION})


def listed(kinds: frozenset[Type]) -> str:
    """The types of a set as words: `a number or a string`."""
    words = [TYPE_WORDS[kind] for kind in Type if kind in kinds and kind is not Type.PIECE]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def shown(token: Token) -> str:
    """A token's text for a message. A long text is shortened."""
    return token.text if len(token.text) <= 30 else token.text[:27] + "..."


def is_internal(word: str) -> bool:
    """True for a reserved word that has no meaning in a query."""
    row = registry.lookup(word)
    return row is not None and row.kind == "internal" and registry.is_reserved(word)
