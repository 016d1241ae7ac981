"""The sections of the page "(QKᵀ)V or Q(KᵀV)"."""

from typing import Any

import streamlit as st

from linattn_core import (
    MODELS,
    Brackets,
    Sizes,
    brackets,
    break_even_kept,
    break_even_time,
    example,
    feature_map,
    form,
    growth,
    model,
    softmax_brackets,
)
from linattn_core.cost import LENGTHS
from linattn_ui import lesson, theme
from linattn_ui.figures import orders as draw
from linattn_ui.settings import Settings
from linattn_ui.state import lengths
from linattn_ui.words import orders as say

READS = {"full": "all tokens", "causal": "tokens up to its own"}
ABOUT_READS = (
    "The article's Figure 2 reads all tokens, to isolate the order of the products. A model that generates "
    "text may not: each query reads a state of the tokens up to its own."
)
ROWS = ("score", "may the brackets move?", "scores ≥ 0?", "score sums")
ABOUT_PICTURES = (
    "First the product in brackets, with its factors as margins: row i of the left one meets column j of the "
    "one on top. Then the other product. A cell has the same size in every picture; blue is above 0, red "
    "below, each kind of matrix on a scale of its own."
)
ABOUT_TILDE = " Q̃ = φ(Q) and K̃ = φ(K), row by row."
COUNTED = (
    "One head. Counted are the multiply-adds of the two products, not exponentials, divisions or plain "
    "additions. The score sum is one more value component, the constant 1, in either order."
)
CURVES = {  # form: what its multiply-adds are called, what it keeps, its colour
    "scores_first": ("(QKᵀ)V", "KV cache", "query"),
    "pooled": ("softmax on pooled KV", "pooled KV cache", "share"),
    "state_first": ("Q(KᵀV)", "state (S and z)", "state"),
}
LONGEST = 2**20  # tokens that doubling stops at

Look = tuple[theme.Colours, draw.Scale]


def show(settings: Settings, trace: Any) -> None:
    """Whether the brackets may move; both orders to size; what each costs; the same in real models."""
    first, decimals, phi = st.container(), settings.decimals, trace.settings.phi
    read = _read(trace)
    both = brackets(trace.tokens, phi, read, **phi.taken(trace.settings.knobs))
    (T, d_k), (d_phi, d_v) = trace.tokens.k.shape, both.S.shape[1:]
    sizes, mapped = Sizes(T, d_k, d_v, d_phi, read == "causal"), phi.key != "identity"
    first.markdown(f"**{say.look(both, sizes, decimals, mapped)}**")
    _rows(trace, both, read, settings.softmax_scale, decimals)
    _pictures(both, sizes, mapped)
    _costs(sizes)


def _read(trace: Any) -> str:
    """Which tokens a query reads; where the sidebar lets it see all, there is nothing to choose."""
    if trace.settings.read == "full":
        return "full"
    return st.segmented_control(
        "Each query reads",
        list(READS),
        format_func=READS.__getitem__,
        default="full",
        required=True,
        key="orders_read",
        persist_state="session",
        help=ABOUT_READS,
    )


def _rows(trace: Any, both: Brackets, read: str, scale: float | None, decimals: int) -> None:
    """Softmax, no φ, a φ: may the brackets move, and does an average come of the scores."""
    st.subheader("May the brackets move?")
    phi, elu1 = trace.settings.phi, feature_map("elu1")
    if phi.key == "identity":
        none, mapped, title = both, brackets(trace.tokens, elu1, read), elu1.title
    else:
        none, mapped, title = brackets(trace.tokens, "identity", read), both, phi.title
    softmax = softmax_brackets(trace.tokens, read, scale)
    rows = say.rows({"softmax": softmax, "none": none, f"φ: {title}": mapped}, decimals)
    lesson.text_table(ROWS, rows)
    st.markdown(say.lesson(none, mapped, title, decimals))
    case = example("cancel").tokens
    apart = say.one_and_minus_one(brackets(case, "identity"), brackets(case, elu1), elu1.title, decimals)
    st.caption(apart)


def _pictures(both: Brackets, sizes: Sizes, mapped: bool) -> None:
    """Both orders to one size, two products each; a causal read has one state after another for KᵀV."""
    st.subheader("Both orders, drawn to size")
    st.caption(ABOUT_PICTURES + (ABOUT_TILDE if mapped else ""))
    m = draw.named(both, mapped, sizes.causal)
    look = (lesson.colours(), draw.scale_of(both))
    left, right = st.columns(2)
    with left:
        st.markdown(say.order(f"({m.scores.name})V", sizes, "scores_first"))
        _picture(draw.product(m.q, m.k.turned("top"), m.scores, *look), m.scores.label, "orders_scores")
        st.caption(say.scores(m.scores.name, sizes))
        _picture(draw.row(m.scores.at("left"), m.v, m.sums, *look), m.sums.label, "orders_scores_v")
        st.caption(say.scores_times_v(m.scores.name, sizes))
    with right:
        st.markdown(say.order(f"{m.q.name}({m.k.name}ᵀV)", sizes, "state_first"))
        (_states if sizes.causal else _state)(both, m, sizes, look)
        _picture(draw.row(m.q, m.S, m.sums, *look, last=sizes.causal), m.sums.label, "orders_q_state")
        st.caption(say.q_times_state(m.S.name, sizes))


def _state(both: Brackets, m: draw.Named, sizes: Sizes, look: Look) -> None:
    _picture(draw.product(m.k.turned("left"), m.v, m.S.at("result"), *look), m.S.label, "orders_state")
    st.caption(say.state(m.S.name, sizes))


def _states(both: Brackets, m: draw.Named, sizes: Sizes, look: Look) -> None:
    shown = draw.shown_states(both, look[1])
    _picture(draw.states(both.S, shown, *look), f"{len(shown)} states", "orders_states")
    st.caption(say.states(sizes, len(shown)))


def _picture(drawn: Any, says: str, key: str) -> None:
    lesson.chart(drawn, key, f"{says}, drawn to size with its factors.")


@st.fragment
def _costs(sizes: Sizes) -> None:
    """Cost against T, which a button doubles, and the sizes of real models."""
    st.subheader("What each order costs as T grows")
    first = st.container()
    steps, r, log = _growing(sizes)
    now = Sizes(sizes.T << steps, sizes.d_k, sizes.d_v, sizes.d_phi, sizes.causal, r)
    first.markdown(f"**{say.grown(now, {names[0]: form(key) for key, names in CURVES.items()}, steps > 0)}**")
    _curves(now, steps > 0, log)
    said = (say.break_evens(now), say.next_token(now), say.softmax(now))
    lesson.bullets(said)
    st.caption(COUNTED)
    _models(r)


def _growing(sizes: Sizes) -> tuple[int, int, bool]:
    """How often T is doubled, positions to a pooled entry, and whether axes are logarithmic."""
    key, most = f"orders_doubled_{sizes.T}", (LONGEST // sizes.T).bit_length() - 1
    label = say.double(*(growth(form(name), sizes) for name in ("scores_first", "state_first")))
    slider, pooled, log = st.columns([2, 1, 1], vertical_alignment="bottom")
    steps = slider.select_slider(
        "Tokens T, doubled and doubled again",
        range(most + 1),
        format_func=lambda n: say.count(sizes.T << n),
        key=key,
        persist_state="session",
    )
    r = pooled.number_input(
        "Positions r to a pooled entry", 2, 1024, 4, key="orders_r", persist_state="session"
    )
    log_axes = log.toggle("Log axes", key="orders_log", persist_state="session")
    st.button(label, on_click=lengths.double, args=(key, most), disabled=steps == most, key="orders_double")
    return steps, r, log_axes


def _curves(now: Sizes, doubled: bool, log: bool) -> None:
    """Multiply-adds and numbers kept, each with the line of its break-even length."""
    marked = [now.T // 2, now.T] if doubled else [now.T]
    sides = (
        ("Multiply-adds over T tokens", "multiply_adds", break_even_time(now)),
        ("Numbers kept after T tokens", "kept", break_even_kept(now)),
    )
    for column, (title, cost, meeting) in zip(st.columns(2), sides, strict=True):
        with column:
            st.markdown(f"**{title}**")
            drawn = draw.costs(now, marked, CURVES, lesson.colours(), cost=cost, break_even=meeting, log=log)
            lesson.chart(drawn, f"orders_{cost}", f"{title}, one curve a form, with the break-even length.")


def _models(r: int) -> None:
    """Published sizes at 1k, 128k and 1M tokens."""
    st.subheader("In the sizes of real models")
    titles = {record.key: record.title for record in MODELS}
    key = st.selectbox(
        "Model",
        list(titles),
        list(titles).index("llama3_8b"),
        titles.__getitem__,
        key="orders_model",
        persist_state="session",
    )
    chosen = model(key)
    st.markdown(f"**{say.at_length(chosen, LENGTHS[1])}**")
    heading = (say.of_model(chosen), *(f"{say.length(T)} tokens" for T in LENGTHS))
    lesson.text_table(("", *heading[1:]), say.costs(chosen, LENGTHS, r))
    st.caption(
        f"{heading[0]} These models compute softmax; the other rows are what the same sizes would cost."
    )
    st.caption(say.tiles(chosen, LENGTHS[1]))
