"""The stops of the tour, in the order of the article's figures. To add one: append a Stop to STOPS.

A stop is a link: `at` is the query that opens it, `before` the one where its question is asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linattn_ui.words import tour as say

ARTICLE = {"example": "article"}


@dataclass(frozen=True)
class Stop:
    """Where the stage stands, which number is lit there, what is asked before and said then."""

    title: str
    figure: str
    at: Mapping[str, str]
    say: Callable[[Any], str]
    highlight: str | None = None
    before: Mapping[str, str] = field(default_factory=dict)
    ask: Callable[[Any], str] | None = None
    more: tuple[str, str] | None = None  # a page that goes on from here, and what its link says


STOPS = (
    Stop("A list that grows, a matrix that does not", "Figure 1", ARTICLE, say.grows),
    Stop(
        "Why softmax cannot just be dropped",
        "Figure 2",
        {"example": "cancel", "op": "divide"},
        say.raw,
        highlight="norm",
        before={"example": "cancel", "op": "read"},
        ask=say.raw_ask,
    ),
    Stop(
        "A feature map makes scores positive",
        "Figure 2",
        {"example": "cancel", "phi": "elu1", "op": "divide"},
        say.mapped,
        highlight="norm",
        more=("pages/2_Feature_maps.py", "All maps on these tokens"),
    ),
    Stop(
        "Two orders, one numerator",
        "Figure 2",
        ARTICLE | {"later": "yes", "op": "read"},
        say.orders,
        highlight="read[0]",
        more=("pages/3_Orders.py", "What each order costs"),
    ),
    Stop(
        "A token writes its value, scaled by its key",
        "Figure 3",
        ARTICLE | {"op": "write"},
        say.write,
        highlight="write[0,0]",
        before=ARTICLE | {"t": "2"},
        ask=say.write_ask,
    ),
    Stop(
        "A general key writes into every row",
        "Figure 3",
        {"example": "general_key", "op": "write"},
        say.write,
        highlight="write[1,0]",
    ),
    Stop(
        "Writes are added to the same cells",
        "Figure 4",
        ARTICLE | {"op": "add"},
        say.add,
        highlight="S_after[0,0]",
        before=ARTICLE | {"op": "write"},
        ask=say.add_ask,
    ),
    Stop(
        "The query reads the rows",
        "Figure 5",
        ARTICLE | {"op": "read"},
        say.read,
        highlight="read[0]",
    ),
    Stop(
        "Divided by the score sum",
        "Figure 6",
        ARTICLE | {"op": "divide"},
        say.divide,
        highlight="norm",
        before=ARTICLE | {"op": "read"},
        ask=say.divide_ask,
        more=("pages/1_Compare.py", "Softmax beside it"),
    ),
    Stop(
        "What a fixed size cannot tell apart",
        "Figure 4, and the article's last section",
        ARTICLE | {"v": "1_0~0_3~2_1"},
        say.same,
        highlight="S_after[0,0]",
        more=("pages/4_Mixing.py", "Try it with your own tokens"),
    ),
)
