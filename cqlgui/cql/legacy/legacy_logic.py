"""CQL 6 text for "and", "or", "not", "exactly one" and "cases". Conditions that are always true or always
false are left out where possible.

`Conjuncts` is a list of filter texts that must all hold. The empty list is always true, and None is always
false.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

Conjuncts = list[str] | None

# The parser accepts chains of up to 200 operators, so chains of 100 texts are safe.
_LONGEST_CHAIN: Final = 100


def block(parts: Conjuncts) -> str:
    """The filters in braces. The result is `{true}` if the filters are always true, and `false` if the
    filters are always false."""
    if parts is None:
        return "false"
    return f"{{{' '.join(parts)}}}" if parts else "{true}"


def joined(lists: Sequence[Conjuncts]) -> Conjuncts:
    """One list with all filters of all lists; None if one of the lists is None."""
    whole: list[str] = []
    for parts in lists:
        if parts is None:
            return None
        whole += parts
    return whole


def every(lists: Sequence[Conjuncts]) -> Conjuncts:
    """The condition that several groups all hold, as one filter text: `{P1} {P2} ...`."""
    if any(parts is None for parts in lists):
        return None
    blocks = [block(parts) for parts in lists if parts]
    return [" ".join(blocks)] if blocks else []


def some(lists: Sequence[Conjuncts]) -> Conjuncts:
    """The condition that at least one of several groups holds: `({P1} or {P2} ...)`. Repeated groups are
    written once."""
    if any(parts == [] for parts in lists):
        return []
    blocks = list(dict.fromkeys(block(parts) for parts in lists if parts))
    if not blocks:
        return None
    return [bracketed(blocks, " or ")]


def bracketed(texts: Sequence[str], sign: str) -> str:
    """Texts joined by an operator, in brackets. A single text gets no brackets. More than 100 texts are
    grouped in nested brackets, because the parser limits the length of a chain."""
    while len(texts) > _LONGEST_CHAIN:
        starts = range(0, len(texts), _LONGEST_CHAIN)
        texts = [bracketed(texts[start : start + _LONGEST_CHAIN], sign) for start in starts]
    return texts[0] if len(texts) == 1 else f"({sign.join(texts)})"


def one_of(lists: Sequence[Conjuncts]) -> Conjuncts:
    """The condition that exactly one of several groups holds."""
    terms = [f"(if {block(parts)} 1 else 0)" for parts in lists if parts is not None]
    whole = "+".join(terms) if len(terms) <= _LONGEST_CHAIN else bracketed(terms, "+")
    return [whole + "==1"] if terms else None


def cases(lists: Sequence[Conjuncts]) -> Conjuncts:
    """`if {C1} {E1} else if {C2} {E2} else {E}`: the first true condition selects the filters after it."""
    texts = [block(parts) for parts in lists]
    whole = ""
    for place in range(0, len(texts) - 1, 2):
        whole += f"if {texts[place]} {texts[place + 1]} else "
    return [whole + (texts[-1] if len(texts) % 2 else "false")]


def negated(parts: Conjuncts, *, transformed: bool = False) -> Conjuncts:
    """The negation of filters. A single keyword gets no braces. If `transformed` is True, a single filter has
    brackets of its own and gets no braces. In all other cases, the filters get braces."""
    if parts is None:
        return []
    if not parts:
        return None
    bare = len(parts) == 1 and (transformed or re.fullmatch("[a-z]{3,}", parts[0]))
    return [f"not {parts[0]}" if bare else f"not {block(parts)}"]
