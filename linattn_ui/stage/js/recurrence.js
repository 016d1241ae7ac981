// Redoes the run in the browser: the operations of linattn_core/recurrence.py and of its write rule in the same
// order, so that every number has the same bits. φ, exp, softmax's weights, and of a rule that does not only add
// also what is written and the scores, come from Python.

/** "0.5,-1.25", or ":" and base64 of little-endian float64 -> Float64Array. */
export function decode(text) {
  if (!text.startsWith(':')) return Float64Array.from(text.split(','), Number);
  return new Float64Array(Uint8Array.from(atob(text.slice(1)), (c) => c.charCodeAt(0)).buffer);
}

/** x·y over n components, left to right from the first product. `sx`, `sy` are the strides. */
export function dot(x, px, sx, y, py, sy, n) {
  let sum = x[px] * y[py];
  for (let i = 1; i < n; i++) sum += x[px + i * sx] * y[py + i * sy];
  return sum;
}

/** Everything the stage shows, for all steps. Row-major arrays; `d` is the payload of payload.py. */
export function redo(d) {
  const run = { ...d, k: decode(d.k), q: decode(d.q), v: decode(d.v) };
  run.kTyped = d.kTyped ? decode(d.kTyped) : run.k;
  run.qTyped = d.qTyped ? decode(d.qTyped) : run.q;
  run.alpha = d.alpha ? decode(d.alpha) : null;
  run.u = d.u ? decode(d.u) : run.v;
  run.uz = d.uz ? decode(d.uz) : new Float64Array(run.T).fill(run.oneMap ? 1 : NaN);
  for (const name of ['beta', 'a', 'b', 'bonus']) run[name] = d[name] ? decode(d[name]) : null;
  run.removes = run.asks === 'a'; // a reads the old state, and b takes that away; k asks it what it holds
  run.corrects = run.asks === 'k';
  states(run, d);
  run.scores = d.scores ? unpack(run, decode(d.scores)) : run.oneMap ? scores(run) : null;
  reads(run);
  run.y = d.y ? decode(d.y) : run.read.map((x, n) => (run.divides ? x / run.below[Math.floor(n / run.V)] : x));
  run.weights = d.weights ? unpack(run, decode(d.weights)) : run.scores && run.scores.map((x, n) => (run.divides ? x / run.below[Math.floor(n / run.T)] : x));
  run.softmaxWeights = unpack(run, decode(d.softmaxWeights));
  run.softmaxY = new Float64Array(run.Tq * run.V);
  for (let t = 0; t < run.Tq; t++)
    for (let j = 0; j < run.V; j++) run.softmaxY[t * run.V + j] = dot(run.softmaxWeights, t * run.T, 1, run.v, j, run.V, attended(run, t));
  run.carried = d.carried ? decode(d.carried) : null;
  run.limit = largest([run.S, run.writes]);
  return run;
}

/** S[t], z[t] for t = 0..T: S ← (diag(α) S + b (β Sᵀa)ᵀ) + k uᵀ as far as the rule does it, z likewise for the value 1. */
function states(run, d) {
  const { T, D, V, k, u, uz } = run;
  const S = (run.S = new Float64Array((T + 1) * D * V)), z = (run.z = new Float64Array((T + 1) * D));
  run.writes = new Float64Array(T * D * V);
  if (d.S0) S.set(decode(d.S0));
  if (d.z0) z.set(decode(d.z0));
  for (let t = 0; t < T; t++) {
    const from = start(run, t), fromZ = startZ(run, t);
    for (let i = 0; i < D; i++) {
      const ki = k[t * D + i];
      for (let j = 0; j < V; j++) {
        const n = i * V + j, write = ki * u[t * V + j];
        run.writes[t * D * V + n] = write;
        S[(t + 1) * D * V + n] = from[n] + write;
      }
      z[(t + 1) * D + i] = fromZ[i] + ki * uz[t];
    }
  }
}

/** What token t's write is added to: S[t], what the decay leaves of it, or that and the removal. */
const start = (run, t) => withRemoval(run, t, decayed(run, t), run.V, (j) => removed(run, t, j));
const startZ = (run, t) => withRemoval(run, t, decayedZ(run, t), 1, () => removedZ(run, t));

function withRemoval(run, t, kept, columns, taken) {
  for (let j = 0; run.removes && j < columns; j++) {
    const r = taken(j);
    for (let i = 0; i < run.D; i++) kept[i * columns + j] += run.b[t * run.D + i] * r;
  }
  return kept;
}

function shrunk({ D, alpha }, t, states, columns) {
  const size = D * columns, old = states.slice(t * size, (t + 1) * size);
  return alpha ? old.map((x, n) => alpha[t * D + Math.floor(n / columns)] * x) : old;
}

/** diag(α) S[t] and diag(α) z[t]; S[t] and z[t] where nothing decays. */
export const decayed = (run, t) => shrunk(run, t, run.S, run.V);
export const decayedZ = (run, t) => shrunk(run, t, run.z, 1);

/** What the rule reads of the state before it writes, per column: k of what the decay left, a of what was there. */
export const oldAnswer = (run, t) => asked(run, t, run.removes ? run.S.subarray(t * run.D * run.V) : decayed(run, t), run.V);
export const oldAnswerZ = (run, t) => asked(run, t, run.removes ? run.z.subarray(t * run.D) : decayedZ(run, t), 1)[0];

const asked = (run, t, state, columns) => Float64Array.from({ length: columns }, (_, j) => dot(run.removes ? run.a : run.k, t * run.D, 1, state, j, columns, run.D));

/** β of token t for value component j, or for z. */
export const share = (run, t, j) => (run.beta.length > run.T ? run.beta[t * run.V + j] : run.beta[t]);

/** β Sᵀa, per column: what b takes to its rows. */
export const removed = (run, t, j) => share(run, t, j) * dot(run.a, t * run.D, 1, run.S, t * run.D * run.V + j, run.V, run.D);
export const removedZ = (run, t) => (run.oneMap ? share(run, t) * dot(run.a, t * run.D, 1, run.z, t * run.D, 1, run.D) : NaN);

/** Index of the state that query t reads: before its write, after it, or the complete one. */
export const stateRead = (run, t) => (run.full ? run.T : run.readsFirst ? t : t + 1);

/** Number of tokens that query t sees; its own among them where a bonus brings it in. */
export const seen = (run, t) => Math.min(run.T, stateRead(run, t) + (run.bonus ? 1 : 0));

/** Number of tokens that softmax's query t sees: its own among them, whatever the run reads first. */
export const attended = (run, t) => (run.full ? run.T : t + 1);

/** scores[t, s]: what the rule keeps of φ(k_s) when query t reads, times φ(q_t). */
function scores(run) {
  const { T, Tq, D, q, k, alpha, scale } = run, out = new Float64Array(Tq * T), kept = k.slice();
  let decayed = 0; // tokens whose decay `kept` holds: grows to seen(run, t)
  for (let t = 0; t < Tq; t++) {
    for (; alpha && decayed < seen(run, t); decayed++)
      for (let n = 0; n < decayed * D; n++) kept[n] = alpha[decayed * D + (n % D)] * kept[n];
    for (let s = 0; s < seen(run, t); s++) out[t * T + s] = scale * dot(q, t * D, 1, kept, s * D, 1, D);
  }
  return out;
}

/** What query t reads of S and of z: a state, with its own token as diag(bonus) k vᵀ where the rule brings that in. */
export const met = (run, t) => withOwn(run, t, run.S, run.V, (j) => run.v[t * run.V + j]);
export const metZ = (run, t) => withOwn(run, t, run.z, 1, () => 1);

function withOwn(run, t, states, columns, value) {
  const { D, bonus, k } = run, size = D * columns, at = stateRead(run, t) * size, state = states.subarray(at, at + size);
  return bonus ? state.map((x, n) => x + bonus[Math.floor(n / columns)] * k[t * D + Math.floor(n / columns)] * value(n % columns)) : state;
}

/** Numerator, score sum and what the numerator is divided by, per query. */
function reads(run) {
  const { Tq, D, V, q, scale, eps } = run;
  run.read = new Float64Array(Tq * V);
  run.norm = new Float64Array(Tq);
  run.below = new Float64Array(Tq);
  for (let t = 0; t < Tq; t++) {
    const S = met(run, t);
    for (let j = 0; j < V; j++) run.read[t * V + j] = scale * dot(q, t * D, 1, S, j, V, D);
    run.norm[t] = scale * dot(q, t * D, 1, metZ(run, t), 0, 1, D);
    run.below[t] = run.norm[t] + eps === 0 ? NaN : run.norm[t] + eps; // nothing to divide by: undefined, not infinite
  }
}

/** Rows up to the query's own token, packed without the masked future -> (Tq, T) with zeros there. */
function unpack(run, packed) {
  const out = new Float64Array(run.Tq * run.T);
  for (let t = 0, n = 0; t < run.Tq; t++) {
    const length = attended(run, t);
    out.set(packed.subarray(n, n + length), t * run.T);
    n += length;
  }
  return out;
}

/** Largest finite |x|, so that one colour means one number at every step; 1 if all are 0. */
export function largest(arrays) {
  let most = 0;
  for (const array of arrays) for (const x of array) if (Math.abs(x) > most && Number.isFinite(x)) most = Math.abs(x);
  return most || 1;
}

/** What is left at state `at` of token s's key in row i, for value component j: S[at] is the sum of these times v_s. */
export function keptKey(run, s, i, at, j = 0) {
  const wide = Boolean(run.beta) && run.beta.length > run.T, name = `${s} ${at} ${wide ? j : 0}`;
  run.keptKeys ??= new Map();
  if (!run.keptKeys.has(name)) run.keptKeys.set(name, leftOver(run, s, at, j));
  return run.keptKeys.get(name)[i];
}

/** The whole key: written with β where the rule corrects, then decayed and corrected with the tokens since. */
function leftOver(run, s, at, j) {
  const { D, k } = run, key = k.slice(s * D, (s + 1) * D);
  if (s >= at) return key.map((x, i) => run.bonus[i] * x); // its own query, before the write
  const kept = run.corrects ? key.map((x) => share(run, s, j) * x) : key;
  for (let r = s + 1; r < at; r++) after(run, r, kept, j);
  return kept;
}

/** What is left at state `at` of column j of the state carried in; of z for j = −1. */
export function keptStart(run, at, j) {
  const { D, V } = run, column = Float64Array.from({ length: D }, (_, i) => (j < 0 ? run.z[i] : run.S[i * V + j]));
  for (let r = 0; r < at; r++) after(run, r, column, j);
  return column;
}

/** One column of a state after token r with the value 0, in place. */
function after(run, r, x, j) {
  const { D, k, a, b, alpha } = run, before = x.slice();
  if (alpha) for (let i = 0; i < D; i++) x[i] = alpha[r * D + i] * x[i];
  if (run.corrects) { const c = share(run, r, j) * dot(k, r * D, 1, x, 0, 1, D); for (let i = 0; i < D; i++) x[i] -= k[r * D + i] * c; }
  if (run.removes) { const c = share(run, r, j) * dot(a, r * D, 1, before, 0, 1, D); for (let i = 0; i < D; i++) x[i] += b[r * D + i] * c; }
}
