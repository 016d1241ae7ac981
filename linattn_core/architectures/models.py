"""Named models. To add one: append an Architecture. Its sentences come from the fields that a run uses."""

import numpy as np

from linattn_core import gates
from linattn_core.architectures.record import Architecture, Made, taken
from linattn_core.feature_maps.vectors import l2

QKV_AXES = {"q": "T H d_k", "k": "T H d_k", "v": "T H d_v"}
QKV = (taken("q"), taken("k"), taken("v"))
BETA_AXES = {"beta": "T H", "b": "T H"}
BETA = (Made("beta", "sigmoid(b)", ("b",), gates.share_corrected), taken("beta"))
SOFTPLUS_GATE = Made(
    "log_decay",
    "−exp(A_log) · softplus(a + dt_bias)",
    ("a", "A_log", "dt_bias"),
    gates.softplus_log_decay,
)

ARCHITECTURES = (
    Architecture(
        "linear_transformer",
        "Linear transformer",
        "add",
        QKV_AXES,
        QKV,
        "Katharopoulos et al. 2020, Transformers are RNNs, §3.2–3.4",
        phi="elu1",
        scaled=False,
        divides=True,
    ),
    Architecture(
        "retnet",
        "RetNet",
        "decay",
        QKV_AXES,
        QKV,
        "Sun et al. 2023, Retentive Network, §2.1, and §2.2 for the share of each head; "
        "without its rotation of q and k and its norm of y",
        share=gates.retention_share,
    ),
    Architecture(
        "simple_gla",
        "Simple GLA and Lightning Attention",
        "decay",
        QKV_AXES | {"g": "T H", "slope": "H"},
        (*QKV, taken("g", "log_decay"), Made("log_decay", "−slope", ("slope",), np.negative)),
        "flash-linear-attention, ops/simple_gla, one decay per token; "
        "one per head: Qin et al. 2024, Lightning Attention-2, §3",
    ),
    Architecture(
        "mamba2",
        "Mamba-2",
        "decay",
        {
            "C": "T H N",
            "B": "T H N",
            "x": "T H P",
            "dt": "T H",
            "A_log": "H",
            "dt_bias": "H",
            "X": "T H P",
            "A": "T H",
        },
        (
            taken("C", "q"),
            taken("B", "k"),
            Made("v", "x · dt", ("x", "dt"), gates.step_value),
            Made("v", "x · softplus(dt + dt_bias)", ("x", "dt", "dt_bias"), gates.step_value),
            taken("X", "v"),
            Made("log_decay", "−exp(A_log) · dt", ("dt", "A_log"), gates.step_log_decay),
            Made(
                "log_decay",
                "−exp(A_log) · softplus(dt + dt_bias)",
                ("dt", "A_log", "dt_bias"),
                gates.step_log_decay,
            ),
            taken("A", "log_decay"),
        ),
        "Dao and Gu 2024, Transformers are SSMs, §2.1 and Listing 1, whose X and A are x · dt and A · dt; "
        "without its D · x",
        scaled=False,
        state="hᵀ",
    ),
    Architecture(
        "gla",
        "GLA",
        "decay",
        QKV_AXES | {"gk_proj": "T H d_k", "gk": "T H d_k"},
        (
            *QKV,
            Made("log_decay", "log(sigmoid(gk_proj)) / 16", ("gk_proj",), gates.sigmoid_log_decay),
            taken("gk", "log_decay"),
        ),
        "Yang et al. 2024, Gated Linear Attention Transformers, §4",
    ),
    Architecture(
        "deltanet",
        "DeltaNet",
        "delta",
        QKV_AXES | BETA_AXES,
        (*QKV, *BETA),
        "Yang et al. 2024, Parallelizing Linear Transformers with the Delta Rule, §2.2 and §3.3",
        phi="l2",
    ),
    Architecture(
        "gated_deltanet",
        "Gated DeltaNet",
        "gated_delta",
        QKV_AXES | BETA_AXES | {"a": "T H", "A_log": "H", "dt_bias": "H", "g": "T H"},
        (*QKV, *BETA, SOFTPLUS_GATE, taken("g", "log_decay")),
        "Yang et al. 2025, Gated Delta Networks, §3.1 and §3.4",
        phi="l2",
    ),
    Architecture(
        "kda",
        "Kimi Delta Attention (KDA)",
        "gated_delta",
        QKV_AXES
        | BETA_AXES
        | {"a": "T H d_k", "A_log": "H", "dt_bias": "H·d_k", "lower_bound": "", "g": "T H d_k"},
        (
            *QKV,
            *BETA,
            SOFTPLUS_GATE,
            Made(
                "log_decay",
                "lower_bound · sigmoid(exp(A_log) · (a + dt_bias))",
                ("a", "A_log", "dt_bias", "lower_bound"),
                gates.bounded_log_decay,
            ),
            taken("g", "log_decay"),
        ),
        "Kimi Team 2025, Kimi Linear, §3; the bounded gate: flash-linear-attention, ops/kda",
        phi="l2",
    ),
    Architecture(
        "rwkv6",
        "RWKV-6",
        "rwkv6",
        {
            "r": "T H d_k",
            "q": "T H d_k",
            "k": "T H d_k",
            "v": "T H d_v",
            "w_raw": "T H d_k",
            "w": "T H d_k",
            "u": "H d_k",
        },
        (
            taken("r", "q"),
            taken("q"),
            taken("k"),
            taken("v"),
            Made("log_decay", "−exp(w_raw)", ("w_raw",), gates.double_exp_log_decay),
            taken("w", "log_decay"),
            taken("u"),
        ),
        "Peng et al. 2024, Eagle and Finch, time mixing of Finch; scaled as in flash-linear-attention, "
        "ops/rwkv6, which the authors' own code is not",
    ),
    Architecture(
        "rwkv7",
        "RWKV-7",
        "rwkv7",
        {
            "r": "T H d_k",
            "k": "T H d_k",
            "v": "T H d_v",
            "w": "T H d_k",
            "kk": "T H d_k",
            "a_icl": "T H d_k",
            "a": "T H d_k",
            "b": "T H d_k",
        },
        (
            taken("r", "q"),
            taken("k"),
            taken("v"),
            Made("log_decay", "−exp(w)", ("w",), gates.double_exp_log_decay),
            Made("a", "−l2(kk)", ("kk",), lambda kk: -l2(kk)),
            taken("a"),
            Made("b", "l2(kk) · a_icl", ("kk", "a_icl"), lambda kk, a_icl: l2(kk) * a_icl),
            taken("b"),
        ),
        "Peng et al. 2025, RWKV-7 Goose, time mixing; without its norm of y and its bonus",
        scaled=False,
        state="Sᵀ",
    ),
)
