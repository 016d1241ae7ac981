// One number of the picture: the arithmetic behind it, back to what was typed, and which numbers it came from.

import { keptKey, stateRead } from './recurrence.js';
import { letter, number, percent, sub, sum, times, vector } from './words.js';

/** {text, sources: [cell names], tokens: [s]} for the number called `name` at this step; null if unknown. */
export function explain(run, step, name) {
  const [, kind, a, b] = /^(\w+)(?:\[(\d+)(?:,(\d+))?\])?$/.exec(name) ?? [];
  const make = KINDS[kind];
  return make ? { sources: [], tokens: [], ...make(new At(run, step), a === undefined ? a : Number(a), b === undefined ? b : Number(b)) } : null;
}

/** The run at one step, with the few lookups every explanation needs. */
class At {
  constructor(run, step) {
    Object.assign(this, { run, step, t: step - 1, p: `p${sub(step - 1)}`, name: (letterName, index) => `${letterName}${sub(index)}` });
    this.n = (x) => number(x, Math.max(4, run.digits));
    this.reads = stateRead(run, this.t);
  }

  key = (i) => this.run.k[this.t * this.run.D + i];
  query = (i) => this.run.q[this.t * this.run.D + i];
  written = (j) => this.run.u[this.t * this.run.V + j];
  S = (at, i, j) => this.run.S[(at * this.run.D + i) * this.run.V + j];
  z = (at, i) => this.run.z[at * this.run.D + i];

  /** Names of the cells of the state that this query reads. */
  cell(i, j) {
    const { run } = this, panel = run.full ? 'read' : run.readsFirst ? 'before' : 'after';
    return j === undefined ? `z_${panel}[${i}]` : `S_${panel}[${i},${j}]`;
  }
}

const all = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/** φ of a typed vector: component by component where φ works that way, else of the whole vector. */
function mapped(at, letterName, i, typed, value) {
  const { run, n } = at, of = `${at.name(letterName, at.t)}[${letter(i)}]`;
  if (!run.typed) return { text: `${of} = ${n(value)}, as typed`, sources: [`${letterName}_typed[${i}]`] };
  const from = run.wholeVector ? `the typed vector ${vector(typed.subarray(at.t * run.dk, (at.t + 1) * run.dk))}` : n(typed[at.t * run.dk + i]);
  return { text: `φ(${letterName}${sub(at.t)})[${letter(i)}] = ${n(value)}: ${run.phi}, of ${from}`, sources: [`${letterName}_typed[${i}]`] };
}

/** What is left of row i of the state carried in, at state `upTo`. */
function keptStart(run, i, upTo) {
  let kept = 1;
  for (let r = 0; r < upTo; r++) kept *= run.alpha[r * run.D + i];
  return kept;
}

/** A cell of a state, unrolled over the tokens written so far. */
function unrolled(at, title, upTo, value, carried, i, share, sources) {
  const { run, n } = at;
  if (!upTo && !run.carriesState) return { text: `${title} = 0: nothing is written yet` };
  const terms = all(upTo, (s) => [s, share(s)]).filter(([, factors]) => run.T <= 8 || factors.every((x) => x !== 0));
  const start = run.carriesState ? [`${run.alpha ? times(n(keptStart(run, i, upTo)), n(carried)) : n(carried)} (carried in)`] : [];
  const text = sum([...start, ...terms.map(([s, factors]) => `${times(...factors.map(n))} (p${sub(s)})`)]);
  const decay = run.alpha ? `, ${run.carriesState ? 'all' : 'each key'} shrunk by the decays since` : '';
  return { text: `${title} = ${n(value)} = ${text}${decay}`, tokens: terms.filter(([, f]) => f.every((x) => x !== 0)).map(([s]) => s), sources };
}

function state(at, label, upTo, i, j, sources = []) {
  const { run } = at, title = `S${sub(upTo)}[${letter(i)},${letter(j)}]`;
  return unrolled(at, title, upTo, at.S(upTo, i, j), at.S(0, i, j), i, (s) => [keptKey(run, s, i, upTo), run.u[s * run.V + j]], sources);
}

function keySum(at, upTo, i, sources = []) {
  return unrolled(at, `z${sub(upTo)}[${letter(i)}]`, upTo, at.z(upTo, i), at.z(0, i), i, (s) => [keptKey(at.run, s, i, upTo)], sources);
}

const total = ({ run, t }, array) => array.subarray(t * run.T, (t + 1) * run.T).reduce((sumSoFar, x) => sumSoFar + x, 0);

const scaled = (at, text) => (at.run.scale === 1 ? text : `${at.n(at.run.scale)}·(${text})`);

const KINDS = {
  k_typed: (at, i) => ({ text: `component ${letter(i)} of the key typed for ${at.p}: ${at.n(at.run.kTyped[at.t * at.run.dk + i])}` }),
  q_typed: (at, i) => ({ text: `component ${letter(i)} of the query typed for ${at.p}: ${at.n(at.run.qTyped[at.t * at.run.dk + i])}` }),
  v_typed: (at, j) => ({ text: `component ${letter(j)} of the value typed for ${at.p}: ${at.n(at.run.v[at.t * at.run.V + j])}` }),
  k: (at, i) => mapped(at, 'k', i, at.run.kTyped, at.key(i)),
  q: (at, i) => mapped(at, 'q', i, at.run.qTyped, at.query(i)),
  u: (at, j) => ({ text: `v${sub(at.t)}[${letter(j)}] = ${at.n(at.written(j))}, written into every row`, sources: [`v_typed[${j}]`] }),
  write: (at, i, j) => ({
    text: `write of ${at.p} at [${letter(i)},${letter(j)}] = k·v = ${times(at.n(at.key(i)), at.n(at.written(j)))} = ${at.n(at.run.writes[(at.t * at.run.D + i) * at.run.V + j])}`,
    sources: [`k[${i}]`, `u[${j}]`],
  }),
  write_z: (at, i) => ({ text: `into z goes the key itself: ${times(at.n(at.key(i)), '1')} = ${at.n(at.key(i))}`, sources: [`k[${i}]`] }),
  S_before: (at, i, j) => state(at, 'before', at.t, i, j),
  S_after: (at, i, j) => state(at, 'after', at.step, i, j, [`S_before[${i},${j}]`, `write[${i},${j}]`]),
  S_read: (at, i, j) => state(at, 'read', at.reads, i, j),
  z_before: (at, i) => keySum(at, at.t, i),
  z_after: (at, i) => keySum(at, at.step, i, [`z_before[${i}]`, `write_z[${i}]`]),
  z_read: (at, i) => keySum(at, at.reads, i),
  read: (at, j) => ({
    text: `numerator ${letter(j)} = ${at.n(at.run.read[at.t * at.run.V + j])} = ${scaled(at, sum(all(at.run.D, (i) => times(at.n(at.query(i)), at.n(at.S(at.reads, i, j))))))}`,
    sources: all(at.run.D, (i) => [`q[${i}]`, at.cell(i, j)]).flat(),
  }),
  norm: (at) => ({
    text: `score sum = ${at.n(at.run.norm[at.t])} = ${scaled(at, sum(all(at.run.D, (i) => times(at.n(at.query(i)), at.n(at.z(at.reads, i))))))}, q${sub(at.t)} times z`,
    sources: all(at.run.D, (i) => [`q[${i}]`, at.cell(i)]).flat(),
  }),
  y: (at, j) => ({ text: quotient(at, j), sources: at.run.divides ? [`read[${j}]`, 'norm'] : [`read[${j}]`] }),
  score: (at, s) => score(at, s),
  weight: (at, s) => ({ text: `share of p${sub(s)} = ${at.n(at.run.scores[at.t * at.run.T + s])} ÷ ${at.n(at.run.below[at.t])} = ${at.n(at.run.weights[at.t * at.run.T + s])}`, sources: [`score[${s}]`, 'norm'], tokens: [s] }),
  term: (at, s, j) => {
    const x = at.run.scores[at.t * at.run.T + s], v = at.run.v[s * at.run.V + j];
    return { text: `p${sub(s)} gives ${times(at.n(x), at.n(v))} = ${at.n(x * v)} to numerator ${letter(j)}`, sources: [`score[${s}]`, `read[${j}]`], tokens: [s] };
  },
  sum_score: (at) => ({ text: `the scores of all tokens read sum to ${at.n(total(at, at.run.scores))}: lane A has ${at.run.carriesState ? `${at.n(at.run.norm[at.t])}, with what was carried in,` : 'it'} as q${sub(at.t)} times z`, sources: ['norm'] }),
  sum_share: (at) => ({ text: `the shares of all tokens read sum to ${percent(total(at, at.run.weights))}` }),
  sum_softmax: (at) => ({ text: `softmax's shares of all tokens read sum to ${percent(total(at, at.run.softmaxWeights))}` }),
  sum_term: (at, j) => ({ text: `score × value, summed over the tokens: lane A has ${at.run.carriesState ? 'it with what was carried in' : 'the same number'} under its column ${letter(j)}`, sources: [`read[${j}]`] }),
  carried: (at, j) => ({ text: `${at.n(at.run.carried[at.t * at.run.V + j])} of y${sub(at.t)}[${letter(j)}] comes from the state before p₀` }),
  weight_map: (at, t, s) => ({ text: `linear attention gives p${sub(s)} ${at.run.divides ? 'a share of' : 'the score'} ${at.n(at.run.weights[t * at.run.T + s])} in what q${sub(t)} reads` }),
  softmax_map: (at, t, s) => ({ text: `softmax gives p${sub(s)} a share of ${at.n(at.run.softmaxWeights[t * at.run.T + s])} in what q${sub(t)} reads` }),
  softmax_weight: (at, s) => softmaxShare(at, s),
  softmax_y: (at, j) => ({
    text: `softmax y[${letter(j)}] = ${at.n(at.run.softmaxY[at.t * at.run.V + j])} = ${sum(all(at.run.full ? at.run.T : at.step, (s) => times(at.n(at.run.softmaxWeights[at.t * at.run.T + s]), at.n(at.run.v[s * at.run.V + j]))))}`,
    sources: all(at.run.T, (s) => `softmax_weight[${s}]`),
  }),
};

function quotient(at, j) {
  const { run, n, t } = at, y = run.y[t * run.V + j], top = n(run.read[t * run.V + j]), name = `y${sub(t)}[${letter(j)}]`;
  if (!run.divides) return `${name} = ${n(y)}: the numerator itself, this run does not divide`;
  if (Number.isNaN(y)) return `${name} is undefined: ${top} ÷ ${n(run.norm[t])}`;
  return `${name} = ${top} ÷ ${run.eps ? `(${n(run.norm[t])} + ${n(run.eps)})` : n(run.norm[t])} = ${n(y)}`;
}

function score(at, s) {
  const { run, n, t } = at;
  const terms = sum(all(run.D, (i) => times(n(at.query(i)), n(keptKey(run, s, i, at.reads)))));
  const decay = run.alpha && s < at.reads - 1 ? `, with the key of p${sub(s)} shrunk by the decays since` : '';
  return { text: `score of p${sub(s)} = q${sub(t)}·k${sub(s)} = ${scaled(at, terms)} = ${n(run.scores[t * run.T + s])}${decay}`, sources: all(run.D, (i) => `q[${i}]`), tokens: [s] };
}

function softmaxShare(at, s) {
  const { run, n, t } = at;
  const product = sum(all(run.dk, (i) => times(n(run.qTyped[t * run.dk + i]), n(run.kTyped[s * run.dk + i]))));
  return { text: `softmax share of p${sub(s)} = exp(${n(run.softmaxScale)}·(${product})) ÷ the sum of these over all tokens read = ${percent(run.softmaxWeights[t * run.T + s])}`, tokens: [s] };
}

/** How much of every cell of S_after token s holds, as |its part| ÷ Σ|parts|: the fill when its row is pointed at. */
export function partsOf(run, step, s) {
  const parts = new Float64Array(run.D * run.V);
  for (let i = 0; i < run.D; i++) {
    const keys = all(step, (r) => keptKey(run, r, i, step));
    for (let j = 0; j < run.V; j++) {
      const total = keys.reduce((sumSoFar, key, r) => sumSoFar + Math.abs(key * run.u[r * run.V + j]), 0);
      parts[i * run.V + j] = total ? Math.abs(keys[s] * run.u[s * run.V + j]) / total : 0;
    }
  }
  return parts;
}
