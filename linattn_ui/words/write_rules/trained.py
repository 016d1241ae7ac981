"""What trained heads recall, measured on the lists that come with them."""

from collections.abc import Mapping

from linattn_core.heads import Recall
from linattn_core.heads import trained as record
from linattn_ui.words.numbers import listed, number

Who = tuple[str, str]  # whose q, k and v; how they are read


def head(who: Who) -> str:
    """A head trained to add; where another reads its vectors, that too."""
    key, reader = who
    return record(key).title + ("" if key == reader else f", read as by {record(reader).title}")


def trained(found: Mapping[Who, Recall]) -> str:
    """First line: the heads from the most right answers to the fewest."""
    order = sorted(found, key=lambda who: -found[who].right.sum())
    said = [f"{head(who)} {found[who].right.sum()} ({_percent(found[who].right.mean())})" for who in order]
    return f"Of {len(found[order[0]].right)} questions {listed(said)} are answered right."


def shares(who: Who, found: Recall) -> list[str]:
    """A row of the table: the head, its right answers, and what share of each kind of name it gets right."""
    right, again = found.right, found.again
    kinds = [f"{_percent(right[kind].mean())} of {kind.sum()}" for kind in (~again, again)]
    return [head(who), f"{right.sum()} ({_percent(right.mean())})", *kinds]


def rewritten(found: Mapping[Who, Recall]) -> str:
    """What a second colour does to the head that adds, and to the one that corrects."""
    said = []
    for who in (("add", "add"), ("delta", "delta")):
        right, again = found[who].right, found[who].again
        shares = _percent(right[again].mean()), _percent(right[~again].mean())
        said.append(f"{head(who)} is right in {shares[0]} ({shares[1]} where it was not)")
    return f"Where a name was given another colour since, {listed(said)}."


def other_reader(own: Recall, other: Recall) -> str:
    """A head is trained for one way of reading."""
    return (
        f"The same q, k and v of the softmax head, read by adding instead, are right in "
        f"{_percent(other.right.mean())} rather than {_percent(own.right.mean())}: the vectors were trained "
        "for the way they are read."
    )


def _percent(x: float) -> str:
    return f"{number(100 * x, 1)} %"
