"""Runs that the tests of the stage draw, and the page that draws one of them: the stage and nothing else."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from linattn_core import Tokens, Trace, example, random_tokens, run

ARTICLE = example("article").tokens


@dataclass(frozen=True)
class Case:
    """The arguments of `run`, and those of `show`."""

    tokens: Tokens
    settings: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)

    @property
    def trace(self) -> Trace:
        return run(self.tokens, **self.settings)


def _case(
    tokens: Tokens, phi: str = "identity", shown: dict[str, Any] | None = None, **settings: Any
) -> Case:
    return Case(tokens, {"phi": phi} | settings, shown or {})


def _changed(tokens: Tokens, **changes: Any) -> Tokens:
    """The same tokens with other arrays, labels or gates."""
    names = ("q", "k", "v", "labels", "beta", "log_decay")
    return Tokens(**{name: getattr(tokens, name) for name in names} | changes)


def _gated() -> Tokens:
    """Four tokens with a decay for each row; the third one forgets row b altogether."""
    decay = np.log([[0.5, 0.9, 1], [0.25, 1, 0.75], [1, 1, 1], [0.1, 0.3, 0.7]])
    decay[2, 1] = -np.inf
    return _changed(random_tokens(4, 3, 2, seed=5), log_decay=decay)


STRANGE = (
    "<img src=x onerror=alert(1)>",
    "**bold** $x$ `code`",
    "quote \" and \\ and '",
    "שלום עולם",
    "emoji 🧮👩‍🔬",
    "two\nlines\tand a tab",
    "x" * 10_000,
    "combined e\u0301\u0323",
    "same",
    "same",
    "p0",
    "",
)

CARRIED = ([[1, -2], [0.5, 3]], [2, 0.25])


@cache
def cases() -> dict[str, Case]:
    """Every case by its name."""
    near_zero = Tokens([[1, 0]] * 3, [[0.1, 0], [0.2, 0], [-0.3, 0]], [[2, 1], [4, 3], [1, 5]])
    far = Tokens(
        [[800, 0], [-800, 1], [0, -800]], [[800, -1], [-800, 0], [799, 800]], [[2, 0], [0, 3], [1, 1]]
    )
    zeros = Tokens([[-1, 0], [1, 0]], [[1, 0.5], [-0.0, -1]], [[-0.0, 1], [2, -0.0]])
    fewer, more = random_tokens(5, 3, 2, seed=3), random_tokens(5, 3, 2, seed=4)
    return {
        "article": _case(ARTICLE),
        "elu1": _case(ARTICLE, "elu1"),
        "sentence": Case(example("sentence").tokens, dict(example("sentence").settings)),
        "long": _case(random_tokens(64, 16, 16, seed=2), "elu1"),
        "oblong": _case(random_tokens(3, 2, 5, seed=7), "elu1"),
        "wider": _case(random_tokens(3, 2, 2, seed=5), "taylor2"),
        "broad": _case(random_tokens(5, 4, 12, seed=3), "elu1"),
        "small": _case(
            Tokens(*np.outer([3, 1, 2], np.geomspace(-1e-5, -5e-3, 6))[:, None] * np.ones((3, 5, 1)))
        ),
        "tall": _case(random_tokens(4, 5, 2, seed=8), "softmax"),
        "decayed": _case(ARTICLE, rule="decay", gamma=0.5),
        "kept": _case(ARTICLE, rule="decay", gamma=1.0),
        "nearly_kept": _case(ARTICLE, rule="decay", gamma=0.999999),
        "gated": _case(_gated(), "elu1", {"digits": 12}, rule="decay"),
        "reads_first": _case(ARTICLE, read_before_write=True),
        "gated_reads_first": _case(_gated(), "elu1", {"digits": 12}, rule="decay", read_before_write=True),
        "full": _case(random_tokens(3, 2, 2, seed=9), "elu1", read="full"),
        "full_wide": _case(random_tokens(13, 5, 6, seed=9), "relu", read="full"),
        "full_gated": _case(_gated(), "elu1", {"digits": 12}, rule="decay", read="full"),
        "full_fewer": _case(Tokens(fewer.q[:2], fewer.k, fewer.v), "elu1", read="full"),
        "full_more": _case(Tokens(more.q, more.k[:2], more.v[:2]), "elu1", read="full"),
        "scaled": _case(
            random_tokens(3, 2, 3, seed=6),
            "softplus",
            {"softmax_scale": 0.3, "digits": 12},
            scale=0.7,
            eps=1e-3,
        ),
        "undivided": _case(random_tokens(3, 2, 3, seed=6), "elu1", normalize=False, scale=0.125),
        "carried": _case(random_tokens(3, 2, 2, seed=6), "elu1", initial=CARRIED),
        "carried_gated": _case(
            _gated(), "elu1", {"digits": 12}, rule="decay", initial=(np.ones((3, 2)) / 3, [0.1, 0.2, 0.3])
        ),
        "carried_undivided": _case(ARTICLE, initial=(CARRIED[0], None), normalize=False),
        "dead": _case(example("dead_relu").tokens, "relu"),
        "cancel": _case(example("cancel").tokens),
        "near_zero": _case(near_zero),
        "negative": _case(example("negative").tokens),
        "signed_zeros": _case(zeros),
        "far": _case(far, "exp"),
        "overflow": _case(_changed(ARTICLE, q=ARTICLE.q * 1e200, k=ARTICLE.k * 1e200)),
        "overflow_in_one": _case(Tokens([[1], [1]], [[1e200]] * 2, [[1e200, 1], [-1e200, 1]])),
        "large": _case(random_tokens(450, 70, 66, seed=2), "elu1"),
        "delta": _case(ARTICLE, rule="delta"),
        "delta_half": _case(ARTICLE, rule="delta", beta=0.5),
        "delta_none": _case(ARTICLE, rule="delta", beta=[1, 1, 0]),
        "delta_same": _case(Tokens([[1, 0]] * 2, [[1, 0]] * 2, [[2, 0]] * 2), rule="delta"),
        "delta_divided": _case(
            _gated(), "elu1", {"digits": 12}, rule="delta", normalize=True, beta=[1, 0, 2, 0.5]
        ),
        "gated_delta": _case(_gated(), "elu1", {"digits": 12}, rule="gated_delta", beta=[0.1, 1, 0.75, 2]),
        "delta_wide": _case(random_tokens(13, 5, 6, seed=9), "l2", rule="gated_delta", beta=0.7),
        "delta_full": _case(_gated(), "l2", {"digits": 12}, rule="gated_delta", read="full"),
        "delta_carried": _case(
            _changed(random_tokens(3, 2, 2, seed=6), beta=[0.3, 1, 0.6]),
            "elu1",
            {"digits": 12},
            rule="delta",
            initial=CARRIED,
        ),
        "delta_by_column": _case(
            _changed(_gated(), beta=[[0.1, 1], [0.5, 2], [0, 1 / 3], [1, 1]]),
            "elu1",
            {"digits": 12},
            rule="gated_delta",
            initial=(np.ones((3, 2)) / 3, None),
        ),
        "rwkv6": _case(_gated(), "elu1", {"digits": 12}, rule="rwkv6", u=[0.5, -1, 1 / 3]),
        "rwkv6_plain": _case(ARTICLE, rule="rwkv6", gamma=0.5),
        "rwkv6_divided": _case(
            _gated(),
            "elu1",
            {"digits": 12},
            rule="rwkv6",
            u=[2, 1, 0.1],
            normalize=True,
            initial=(np.ones((3, 2)) / 3, [0.1, 0.2, 0.3]),
        ),
        "rwkv6_full": _case(_gated(), "elu1", {"digits": 12}, rule="rwkv6", u=3.0, read="full"),
        "rwkv7": _case(ARTICLE, rule="rwkv7", gamma=0.5),
        "rwkv7_own": _case(
            _changed(_gated(), beta=[0.1, 1, 0.75, 2]),
            "elu1",
            {"digits": 12},
            rule="rwkv7",
            a=random_tokens(4, 3, 2, seed=7).k,
            b=random_tokens(4, 3, 2, seed=8).k,
        ),
        "rwkv7_divided": _case(
            _gated(),
            "elu1",
            {"digits": 12},
            rule="rwkv7",
            normalize=True,
            read_before_write=True,
            initial=(np.ones((3, 2)) / 3, [0.1, 0.2, 0.3]),
            beta=0.25,
        ),
        "rwkv7_wide": _case(random_tokens(13, 8, 8, seed=9), rule="rwkv7"),
        "one": _case(Tokens([[2]], [[3]], [[5]])),
        "labels": _case(_changed(random_tokens(len(STRANGE), 2, 2, seed=1), labels=STRANGE), "elu1"),
    }


def draw() -> None:
    """The page: a box for a case and the number of the visit, the stage, and where it last came to rest.

    A new visit sends the stage where the link says, or to its end; in the same visit it stays where it is.
    """
    import streamlit as st

    from linattn_ui.stage import show

    st.set_page_config(page_title="Stage", layout="wide")
    link = st.query_params
    name, visit = st.text_input("Case", f"{link.get('case', 'article')} 0", key="case").split()
    place = {part: link[part] for part in ("operation", "highlight") if part in link}
    step = int(link["step"]) if "step" in link else None
    case = cases()[name]
    show(case.trace, step=step, nonce=int(visit), on_rest=_rested, **place, **case.shown)
    st.caption(f"At rest: {st.session_state.get('rest')}")


def _rested(step: int, operation: str | None) -> None:
    import streamlit as st

    st.session_state["rest"] = (step, operation)
