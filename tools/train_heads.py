"""Train three heads of one size on associative recall; write what they make of held-out lists.

    pip install torch
    python tools/train_heads.py [--steps 1000] [--out linattn_core/heads]
    ruff format linattn_core/heads

A list gives names a colour, some of them a second time another one, then asks for every name once: the answer
is its last colour. Each head sees one token at a time as a name, a colour (or "asked") and how far the list
is, and reads y, whose components are the scores of the colours. It is one layer, without anything around it:
q, k, v are linear in the token, the gated head's β and decay too, through a sigmoid and a softplus.
Some starts get stuck, so every head gets the same few, and the one that learns fastest is trained to the end.
Minutes on a CPU; the seeds fix the result for one build of PyTorch.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from linattn_core.heads import ASKED, COLOURS, HEADS, NAMES, label  # noqa: E402  the app's own words

WRITTEN, AGAIN = 4, 3  # names in a list, and how many of them get another colour later
WRITES, T = WRITTEN + AGAIN, 2 * WRITTEN + AGAIN
D_K, BATCH, HELD_OUT = 6, 128, 128
SEEDS, TRIAL, HELD_OUT_SEED = range(4), 200, 99
REPEATING = 0.1  # what the loss of a token that gives a colour counts, beside a question's 1
DECIMALS = {3: 2, 2: 3}  # of vectors and of gates, by the axes they have
SHOWN = """\"\"\"A held-out list as each trained head sees it, rounded: from tools/train_heads.py.\"\"\"

LABELS = {labels}
HEADS = {heads}
"""


def lists(n, generator):
    """(names, colours), each (n, T): the writes in random order, then every name once, its colour ASKED."""

    def shuffled(rows, columns):
        return torch.rand(rows, columns, generator=generator).argsort(1)

    chosen = shuffled(n, len(NAMES))[:, :WRITTEN]
    written = torch.cat([chosen, chosen[:, :AGAIN]], 1).gather(1, shuffled(n, WRITES))
    colours = torch.randint(len(COLOURS), written.shape, generator=generator)
    for t in range(1, WRITES):  # a name that comes again gets another colour
        for s in range(t):
            same = (written[:, s] == written[:, t]) & (colours[:, s] == colours[:, t])
            colours[:, t] = torch.where(same, (colours[:, t] + 1) % len(COLOURS), colours[:, t])
    names = torch.cat([written, chosen.gather(1, shuffled(n, WRITTEN))], 1)
    return names, torch.cat([colours, torch.full((n, WRITTEN), ASKED)], 1)


def answers(names, colours):
    """The last colour of each token's name, (n, T)."""
    met = (names[:, :, None] == names[:, None]) & torch.ones(T, T).tril().bool() & (colours[:, None] != ASKED)
    return colours.gather(1, (met * torch.arange(1, T + 1)).argmax(2))


def features(names, colours):
    """What a head sees of each token, (n, T, ·)."""
    place = torch.arange(T).expand(names.shape)[..., None] / T
    words = [functional.one_hot(names, len(NAMES)), functional.one_hot(colours, len(COLOURS) + 1)]
    return torch.cat([*words, place, torch.ones_like(place)], 2).float()


class Trained(nn.Module):
    """One head of `kind`: softmax, add or delta."""

    def __init__(self, kind):
        super().__init__()
        size = len(NAMES) + len(COLOURS) + 3
        self.kind, d_v = kind, len(COLOURS)
        self.q, self.k, self.v = (nn.Linear(size, d, bias=False) for d in (D_K, D_K, d_v))
        if kind == "delta":
            self.b, self.a, self.A_log = nn.Linear(size, 1), nn.Linear(size, 1), nn.Parameter(torch.zeros(()))
            nn.init.constant_(self.a.bias, -4.0)  # forgets slowly at first

    def vectors(self, x):
        """What the head makes of its tokens, by the names of Tokens."""
        made = {name: getattr(self, name)(x) for name in "qkv"}
        if self.kind == "delta":
            made["beta"] = torch.sigmoid(self.b(x))[..., 0]
            made["log_decay"] = -torch.exp(self.A_log) * functional.softplus(self.a(x))[..., 0]
        return made

    def forward(self, x):
        """y (n, T, d_v), the scores of the colours."""
        return READ[self.kind](**self.vectors(x))


def read_softmax(q, k, v):
    """softmax(q kᵀ / √d_k) v, each token seeing itself and what came before."""
    later = torch.ones(T, T).triu(1).bool()
    return (q @ k.mT / D_K**0.5).masked_fill(later, -torch.inf).softmax(2) @ v


def read_add(q, k, v):
    """Linear attention with ELU + 1, divided by the score sum."""
    scores = ((functional.elu(q) + 1) @ (functional.elu(k) + 1).mT).tril()
    return scores @ v / scores.sum(2, keepdim=True)


def read_delta(q, k, v, beta, log_decay):
    """The gated delta rule with q and k of length 1."""
    q, k = (functional.normalize(x, dim=2) for x in (q, k))
    S, y = torch.zeros(len(q), D_K, v.shape[2]), []
    for t in range(T):
        S = log_decay[:, t, None, None].exp() * S
        u = beta[:, t, None] * (v[:, t] - torch.einsum("nk,nkv->nv", k[:, t], S))
        S = S + k[:, t, :, None] * u[:, None]
        y.append(torch.einsum("nk,nkv->nv", q[:, t], S))
    return torch.stack(y, 1)


READ = {"softmax": read_softmax, "add": read_add, "delta": read_delta}


class Training:
    """A head, its own stream of lists and its optimizer."""

    def __init__(self, kind, seed, steps):
        torch.manual_seed(seed)
        self.head, self.drawn = Trained(kind), torch.Generator().manual_seed(seed)
        self.optimizer = torch.optim.AdamW(self.head.parameters(), lr=1e-2, weight_decay=1e-2)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, steps)

    def advance(self, steps):
        """Train on; the mean loss of the last 50 steps."""
        losses = []
        for _ in range(steps):
            names, colours = lists(BATCH, self.drawn)
            scores = self.head(features(names, colours)).mT
            per_token = functional.cross_entropy(scores, answers(names, colours), reduction="none").mean(0)
            loss = per_token[WRITES:].mean() + REPEATING * per_token[:WRITES].mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.schedule.step()
            losses.append(loss.item())
        return np.mean(losses[-50:])


def train(kind, steps):
    """The head whose loss is lowest after a short trial of each seed, trained to the end."""
    trials = [Training(kind, seed, steps) for seed in SEEDS]
    losses = [trial.advance(TRIAL) for trial in trials]
    best = trials[int(np.argmin(losses))]
    print(f"{kind}: losses {np.round(losses, 3)} after {TRIAL} steps,", end=" ", flush=True)
    print(f"{best.advance(steps - TRIAL):.3f} after {steps} of the lowest", flush=True)
    if kind == "delta":
        upright(best.head)
    return best.head


def upright(head):
    """Turn k and v round together where q and k look away from each other: every k uᵀ, and so y, stays."""
    with torch.no_grad():
        made = head.vectors(features(*lists(BATCH, torch.Generator().manual_seed(0))))
        if (made["q"] * made["k"])[:, :WRITES].sum() < 0:
            head.k.weight *= -1
            head.v.weight *= -1


def right(head, names, colours):
    """Whether each question is answered, (n, WRITTEN)."""
    said = head(features(names, colours)).argmax(2)
    return (said == answers(names, colours))[:, WRITES:].numpy()


def shown(made, names, colours, i):
    """The module that holds list i: names and colours as labels, numbers rounded."""
    words = [label(name, colour) for name, colour in zip(names[i].tolist(), colours[i].tolist(), strict=True)]
    heads = {
        kind: {
            name: (np.round(x[i].astype(float), DECIMALS[x.ndim]) + 0.0).tolist()
            for name, x in arrays.items()
        }
        for kind, arrays in made.items()
    }
    return SHOWN.format(labels=words, heads=heads)


def main():
    """Train, tell how many questions are answered, write the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=ROOT / "linattn_core" / "heads")
    args = parser.parse_args()
    torch.set_num_threads(1)  # so that sums have one order
    names, colours = lists(HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))
    made, answered = {}, {}
    with_words = {"names": names.numpy().astype(np.uint8), "colours": colours.numpy().astype(np.uint8)}
    for kind in (head.key for head in HEADS):
        head = train(kind, args.steps)
        with torch.no_grad():
            made[kind] = {name: x.numpy() for name, x in head.vectors(features(names, colours)).items()}
            answered[kind] = right(head, names, colours)
        print(f"{kind}: {answered[kind].mean():.1%} of {answered[kind].size} held-out questions")
        np.savez_compressed(args.out / f"{kind}.npz", **with_words, **made[kind])
    telling = answered["softmax"].all(1) & answered["delta"].all(1) & ~answered["add"].all(1)
    (args.out / "shown.py").write_text(shown(made, names, colours, int(telling.argmax())), "utf-8")


if __name__ == "__main__":
    main()
