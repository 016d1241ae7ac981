"""Every number in a story is what the run gives; every example runs as it says."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import EXAMPLES, example, random_tokens, run, softmax
from linattn_core.correction import correction
from linattn_core.heads import COLOURS

# SplitMix64 from 0 written out in plain Python integers: twelve draws each, less 6.
FIRST_OF_SEED_0 = [[0.05, 1.38]]

TRACES = {record.key: run(record.tokens, **record.settings) for record in EXAMPLES}
every_example = pytest.mark.parametrize("record", EXAMPLES, ids=lambda e: e.key)


def number(x):
    """As a story writes it: 2, 0.5, −0.5."""
    return f"{round(float(x), 12):g}".replace("-", "−")


def vector(x):
    return "[" + ", ".join(map(number, x)) + "]"


def facts(key):
    """What the story may quote, each phrase made from the run."""
    trace, tokens = TRACES[key], example(key).tokens
    if key == "article":
        assert_array_equal(tokens.k[0], tokens.k[2])
        return [
            "p₀ and p₂ share a key",
            "adds " + vector(trace.contribution(0)[0]) + " and " + vector(trace.contribution(2)[0]),
            "to " + vector(trace.S[3][0]) + " in row a",
            "score sum " + number(trace.norm[2]),
            "y₂ = " + vector(trace.y[2]),
        ]
    if key == "same_key":
        assert (tokens.k == tokens.k[0]).all()
        assert_allclose(trace.y[2], tokens.v.mean(axis=0))
        return ["average of all three values, " + vector(trace.y[2])]
    if key == "noisy_mean":
        assert_allclose(trace.y[4], tokens.v.mean(axis=0))
        replaced = run(tokens, "identity", "delta")
        return ["y₄ = " + vector(trace.y[4]), "last value alone, " + vector(replaced.y[4])]
    if key == "orthogonal":
        assert_array_equal(trace.y, tokens.v)
        assert np.linalg.matrix_rank(tokens.k) == len(tokens.k) == 4
        return ["y₃ = " + vector(trace.y[3])]
    if key == "general_key":
        return [
            "key " + vector(tokens.k[0]) + " writes the value " + vector(tokens.v[0]),
            vector(trace.S[1][0]) + " and " + vector(trace.S[1][1]),
            "query " + vector(tokens.q[0]) + " adds the rows to " + vector(trace.y[0]),
            "score sum is " + number(trace.norm[0]),
        ]
    if key == "negative":
        first, second, third = map(number, trace.scores()[2])
        return [
            f"{first}, {second} and {third}, which sum to {number(trace.norm[2])}",
            "last weight is " + number(trace.weights()[2, 2]),
            "y₂ = " + vector(trace.y[2]),
        ]
    if key.startswith("trained_"):
        return of_the_pen(key, trace, tokens)
    if key == "cancel":
        first, second = map(number, trace.scores()[1])
        assert_array_equal(trace.defined, [True, False])
        return [f"{first} and {second}", "sum to " + number(trace.norm[1])]
    if key == "dead_relu":
        assert_array_equal(trace.defined, [False, False, True, True])
        assert_array_equal(trace.k[0], trace.k[1])
        third, fourth = map(number, trace.weights()[3, 2:])
        return [
            "keys to " + vector(trace.k[0]),
            "From p₂ on",
            "y₂ = " + vector(trace.y[2]) + "; y₃ = " + vector(trace.y[3]),
            f"weights {third} and {fourth}",
        ]
    if key == "sentence":
        (T, d_phi), d_v = trace.k.shape, trace.v.shape[1]
        assert len(set(tokens.labels)) == T
        return [f"{T} words", f"vectors of {d_v} components", f"{d_phi}×{d_v}", f"{T} rows"]
    (T, d_phi), d_v = trace.k.shape, trace.v.shape[1]
    assert_array_equal(tokens.q, random_tokens(T, d_phi, d_v, 1).q)
    return [f"{T} tokens from seed 1", f"keys of {d_phi} and values of {d_v}", f"{d_phi}×{d_v}"]


def of_the_pen(key, trace, tokens):
    """What the stories of the trained heads quote: how p₈ asks for the pen, with 2 decimals."""
    names = dict(enumerate(tokens.labels))
    assert [names[t] for t in (3, 4, 6, 8)] == ["map: red", "pen: red", "pen: gold", "pen?"]
    assert COLOURS == ("red", "blue", "green", "gold")
    assert all(names[t].split(":")[0] != "pen" for t in (0, 1, 2, 3, 5))
    red, gold = (number(round(trace.y[8, c], 2)) for c in (0, 3))
    if key == "trained_add":
        assert trace.y[8].argmax() == 0
        weight = [number(round(trace.weights()[8, s], 2)) for s in range(7)]
        parts = [f"weighs them {weight[4]} and {weight[6]}", f"the red map, {weight[3]}"]
        return [*parts, f"red wins, {red} against {gold}"]
    if key == "trained_delta":
        assert trace.y[8].argmax() == 3
        old, written = correction(trace, 6).old[0], trace.u[6, 0]
        scored = f"scores red {number(round(old, 2))}, so {number(round(written, 2))} is written"
        return [scored, f"gold scores {gold} and red {red}"]
    y, weights = softmax(tokens)
    assert (y[8].argmax(), trace.y[8].argmax()) == (3, 0)
    weight = number(round(weights[8, 6], 2))
    return [f"gives p₆ the weight {weight}", f"With {trace.settings.phi.title}", f"red {red} and gold {gold}"]


@every_example
def test_every_number_in_a_story_is_true(record):
    rest = record.story
    for phrase in facts(record.key):
        assert phrase in rest, phrase
        rest = rest.replace(phrase, "", 1)
    assert not re.search(r"\d", rest), "a number that no phrase above made from the run"


@every_example
def test_an_example_is_short_and_typed_with_at_most_two_decimals(record):
    tokens = record.tokens
    for table in (tokens.q, tokens.k, tokens.v):
        assert_array_equal(np.round(table, 2), table)
        assert not np.signbit(table[table == 0]).any()
    assert 1 <= record.story.count(". ") + 1 <= 3
    assert set(record.settings) <= {"phi", "rule"}


@every_example
def test_weights_times_values_is_y_where_it_is_defined(record):
    trace = TRACES[record.key]
    shown = trace.defined
    assert_allclose((trace.weights() @ trace.v)[shown], trace.y[shown], atol=1e-12)


def test_the_article_comes_first():
    assert EXAMPLES[0].key == "article"


def test_random_tokens_are_fixed_by_their_seed():
    one, two, other = (random_tokens(5, 3, 2, seed) for seed in (7, 7, 8))
    for name, shape in (("q", (5, 3)), ("k", (5, 3)), ("v", (5, 2))):
        assert getattr(one, name).shape == shape
        assert_array_equal(getattr(one, name), getattr(two, name))
        assert (getattr(one, name) != getattr(other, name)).any()
    assert_array_equal(random_tokens(1, 2, 1, 0).q, FIRST_OF_SEED_0)
    many = random_tokens(2000, 2, 1, 3)
    assert_allclose([many.q.mean(), many.q.std()], [0, 1], atol=0.05)
    assert abs(np.corrcoef(many.q.T)[0, 1]) < 0.06
