"""How many pairs fit: drawn pairs in many runs at once, against single runs and measured figures."""

import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from linattn_core import InputError, Tokens, run, update_rule
from linattn_core.recall import COUNTS, SEEDS, STORES, WORDS, accuracy, difference, held, pairs, store

MEASURED = {  # d_k = 8, unit keys, 200 runs of another program: pairs -> difference
    "add": {2: 0.12, 4: 0.38, 8: 0.89, 16: 1.91, 32: 3.76},
    "delta": {2: 0.08, 4: 0.25, 8: 0.58, 16: 1.04, 32: 1.51},
}


@pytest.mark.parametrize("rule", STORES)
def test_all_seeds_at_once_are_the_runs_one_by_one(rule):
    stored = pairs("repeated", 5, 4)
    S = store(rule, stored.k, stored.v, gamma=0.75, beta=0.5)
    for seed in (0, SEEDS - 1):
        k, v = stored.k[seed], stored.v[seed]
        one = run(Tokens(k, k, v), "identity", update_rule(rule), normalize=False, gamma=0.75, beta=0.5)
        assert_array_equal(S[seed], one.S[-1])


@pytest.mark.parametrize("rule", MEASURED)
def test_the_differences_are_those_measured_elsewhere(rule):
    one = held(rule, "random", 8)
    means = dict(zip(one.counts.tolist(), one.mean, strict=True))
    for n, expected in MEASURED[rule].items():
        assert_allclose(means[n], expected, rtol=0.08, atol=0.02)


def test_added_random_keys_differ_by_the_other_pairs_over_the_rows():
    one = held("add", "random", 16)
    assert_allclose(one.mean, (one.counts - 1) / 16, rtol=0.1, atol=0.01)
    assert (one.low <= one.mean).all()
    assert (one.mean <= one.high).all()


def test_one_pair_comes_back_whole_under_every_rule():
    for rule in STORES:
        assert_allclose(difference(rule, "random", 1, 8, gamma=0.5, beta=1.0), 0, atol=1e-20)


def test_a_key_written_twice_is_replaced_by_delta_and_added_up_by_add():
    assert_allclose(difference("delta", "repeated", 2, 8, gamma=1.0, beta=1.0), 0, atol=1e-20)
    stored = pairs("repeated", 2, 8)
    old, new = stored.v[:, 0], stored.v[:, 1]
    added = difference("add", "repeated", 2, 8, gamma=1.0, beta=1.0)
    assert_allclose(added, (old**2).sum(axis=1) / (new**2).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("n", COUNTS)
def test_every_key_is_asked_once_for_its_last_value(n):
    for keys in ("random", "repeated"):
        stored = pairs(keys, n, 4)
        for k in stored.k[0]:
            last = np.flatnonzero((stored.k[0] == k).all(axis=1))[-1]
            assert last in range(n)[stored.asked]
        asked = stored.k[0][stored.asked]
        assert len(np.unique(asked, axis=0)) == len(asked) == (n if keys == "random" else -(-n // 2))
        assert_allclose((stored.k**2).sum(axis=2), 1)


def test_a_word_comes_back_where_it_alone_is_largest():
    assert_array_equal(accuracy("add", "random", 1, 2), np.ones(SEEDS))
    assert_array_equal(accuracy("delta", "repeated", 2, 2), np.ones(SEEDS))
    both = accuracy(
        "add", "repeated", 2, 2
    )  # two words with one component each: none is largest, if they differ
    assert 0 < both.mean() < 3 / WORDS


def test_more_rows_bring_back_more_and_adding_cannot_tell_old_from_new():
    few, many = (accuracy("delta", "repeated", 16, d_k).mean() for d_k in (4, 32))
    assert few + 0.3 < many
    assert accuracy("add", "repeated", 16, 32).mean() < 0.6 < 0.9 < many


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("nonsense", "random", 1, 2), "rule needs to be one of: add, decay, delta, gated_delta; it is 'non"),
        (("add", "bogus", 1, 2), "keys needs to be one of: random, repeated; it is 'bogus'. Choose"),
        (("add", "random", 0, 2), "n needs a whole number from 1 to 32; it is 0. Change it."),
        (("add", "random", 33, 2), "n needs a whole number from 1 to 32; it is 33. Change it."),
        (("add", "random", 1, [2]), "d_k needs a whole number ≥ 1; it is [2]. Change it."),
    ],
)
def test_what_cannot_be_recalled_is_refused(asked, message):
    for call in (accuracy, partial(difference, gamma=1.0, beta=1.0)):
        with pytest.raises(InputError, match=re.escape(message)):
            call(*asked)
