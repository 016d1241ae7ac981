// Redoes the run in the browser: the operations of linattn_core/recurrence.py in the same order,
// so that every number has the same bits. Only φ, exp and the softmax weights come from Python.

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
  states(run, d);
  run.scores = scores(run);
  reads(run);
  run.y = d.y ? decode(d.y) : run.read.map((x, n) => (run.divides ? x / run.below[Math.floor(n / run.V)] : x));
  run.weights = d.weights ? unpack(run, decode(d.weights)) : run.scores.map((x, n) => (run.divides ? x / run.below[Math.floor(n / run.T)] : x));
  run.softmaxWeights = unpack(run, decode(d.softmaxWeights));
  run.softmaxY = new Float64Array(run.Tq * run.V);
  for (let t = 0; t < run.Tq; t++)
    for (let j = 0; j < run.V; j++) run.softmaxY[t * run.V + j] = dot(run.softmaxWeights, t * run.T, 1, run.v, j, run.V, attended(run, t));
  run.carried = d.carried ? decode(d.carried) : null;
  run.limit = largest([run.S, run.writes]);
  return run;
}

/** S[t], z[t] for t = 0..T: S ← diag(α) S + k uᵀ, z likewise for the value 1. */
function states(run, d) {
  const { T, D, V, k, u, alpha } = run;
  const S = (run.S = new Float64Array((T + 1) * D * V)), z = (run.z = new Float64Array((T + 1) * D));
  run.writes = new Float64Array(T * D * V);
  if (d.S0) S.set(decode(d.S0));
  if (d.z0) z.set(decode(d.z0));
  for (let t = 0; t < T; t++)
    for (let i = 0; i < D; i++) {
      const ki = k[t * D + i], a = alpha ? alpha[t * D + i] : 1;
      for (let j = 0; j < V; j++) {
        const n = i * V + j, old = S[t * D * V + n], write = ki * u[t * V + j];
        run.writes[t * D * V + n] = write;
        S[(t + 1) * D * V + n] = (alpha ? a * old : old) + write;
      }
      z[(t + 1) * D + i] = (alpha ? a * z[t * D + i] : z[t * D + i]) + ki;
    }
}

/** Index of the state that query t reads: before its write, after it, or the complete one. */
export const stateRead = (run, t) => (run.full ? run.T : run.readsFirst ? t : t + 1);

/** Number of tokens that query t sees. */
export const seen = (run, t) => Math.min(run.T, stateRead(run, t));

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

/** Numerator, score sum and what the numerator is divided by, per query. */
function reads(run) {
  const { Tq, D, V, q, S, z, scale, eps } = run;
  run.read = new Float64Array(Tq * V);
  run.norm = new Float64Array(Tq);
  run.below = new Float64Array(Tq);
  for (let t = 0; t < Tq; t++) {
    const at = stateRead(run, t);
    for (let j = 0; j < V; j++) run.read[t * V + j] = scale * dot(q, t * D, 1, S, at * D * V + j, V, D);
    run.norm[t] = scale * dot(q, t * D, 1, z, at * D, 1, D);
    run.below[t] = run.norm[t] + eps === 0 ? NaN : run.norm[t] + eps; // nothing to divide by: undefined, not infinite
  }
}

/** Rows of `seen` numbers, packed without the masked future -> (Tq, T) with zeros there. */
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

/** What is left at state `at` of token s's share of row i: φ(k_s)ᵢ after the decays since. */
export function keptKey(run, s, i, at) {
  let kept = run.k[s * run.D + i];
  if (run.alpha) for (let r = s + 1; r < at; r++) kept = run.alpha[r * run.D + i] * kept;
  return kept;
}
