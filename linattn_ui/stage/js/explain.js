// One number of the picture: the arithmetic behind it, back to what was typed, and which numbers it came from.

import { decayed, decayedZ, keptKey, keptStart, met, metZ, oldAnswer, oldAnswerZ, removed, removedZ, share, stateRead } from './recurrence.js';
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
  met = (i, j) => met(this.run, this.t)[i * this.run.V + j];
  value = (j) => this.run.v[this.t * this.run.V + j];
  decayed = (i, j) => decayed(this.run, this.t)[i * this.run.V + j];

  /** Names of the cells of the state that this query reads. */
  cell(i, j) {
    const { run } = this, panel = run.full || run.bonus ? 'read' : run.readsFirst ? 'before' : 'after';
    return j === undefined ? `z_${panel}[${i}]` : `S_${panel}[${i},${j}]`;
  }
}

const all = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/** φ of a typed vector: component by component where φ works that way, else of the whole vector. */
function mapped(at, letterName, i, typed, value) {
  const { run, n } = at, of = `${at.name(letterName, at.t)}[${letter(i)}]`;
  if (!run.typed) return { text: `${of} = ${n(value)}, as typed`, sources: [`${letterName}_typed[${i}]`] };
  const from = run.wholeVector ? `the typed vector ${vector(typed.subarray(at.t * run.dk, (at.t + 1) * run.dk))}` : n(typed[at.t * run.dk + i]);
  return { text: `φ(${letterName}${sub(at.t)})[${letter(i)}] = ${n(value)}: ${run.phi}, of ${from}`, sources: run.D === run.dk ? [`${letterName}_typed[${i}]`] : [] };
}

/** A cell of a state, unrolled over the tokens written so far. */
function unrolled(at, title, upTo, value, carried, share, sources) {
  const { run, n } = at;
  if (!upTo && !run.carriesState) return { text: `${title} = 0: nothing is written yet` };
  const terms = all(upTo, (s) => [s, share(s)]).filter(([, factors]) => run.T <= 8 || factors.every((x) => x !== 0));
  const start = run.carriesState ? [`${times(...carried.map(n))} (carried in)`] : [];
  const text = sum([...start, ...terms.map(([s, factors]) => `${times(...factors.map(n))} (p${sub(s)})`)]);
  const decay = run.corrects || run.removes ? `, each key as later writes left it` : run.alpha ? `, ${run.carriesState ? 'all' : 'each key'} shrunk by the decays since` : '';
  return { text: `${title} = ${n(value)} = ${text}${decay}`, tokens: terms.filter(([, f]) => f.every((x) => x !== 0)).map(([s]) => s), sources };
}

function state(at, label, upTo, i, j, sources = []) {
  const { run } = at, title = `S${sub(upTo)}[${letter(i)},${letter(j)}]`;
  return unrolled(at, title, upTo, at.S(upTo, i, j), carriedPart(at, upTo, i, j), (s) => [keptKey(run, s, i, upTo, j), run.v[s * run.V + j]], sources);
}

function keySum(at, upTo, i, sources = []) {
  return unrolled(at, `z${sub(upTo)}[${letter(i)}]`, upTo, at.z(upTo, i), carriedPart(at, upTo, i, -1), (s) => [keptKey(at.run, s, i, upTo)], sources);
}

/** Factors of what a cell still has of the state carried in: the decays and what was there, or what corrections left. */
function carriedPart({ run }, upTo, i, j) {
  if (!run.carriesState) return null;
  if (run.corrects || run.removes) return [keptStart(run, upTo, j)[i]];
  const decays = run.alpha ? [all(upTo, (r) => run.alpha[r * run.D + i]).reduce((x, y) => x * y, 1)] : [];
  return [...decays, j < 0 ? run.z[i] : run.S[i * run.V + j]];
}

/** What the write is added to, cell by cell: names of the numbers that add up to a cell of the state after. */
const before = (at, i, j) => [at.run.alpha ? `S_decayed[${i},${j}]` : `S_before[${i},${j}]`, ...(at.run.removes ? [`removal[${i},${j}]`] : []), `write[${i},${j}]`];
const beforeZ = (at, i) => [at.run.alpha ? `z_decayed[${i}]` : `z_before[${i}]`, ...(at.run.removes ? [`removal_z[${i}]`] : []), `write_z[${i}]`];

/** A state with the query's own token, where the rule brings it in before the write. */
function read(at, title, left, k, bonus, value, sources) {
  return { text: `${title} = ${at.n(left + bonus * k * value)} = ${at.n(left)} + ${times(at.n(bonus), at.n(k), at.n(value))}, the state before, and bonus u × key × value of ${at.p} itself`, sources };
}

function answer(at, j) {
  const { run, n, t } = at, k = run.removes ? run.a : run.k, by = run.removes ? 'a' : 'k';
  const value = j === undefined ? oldAnswerZ(run, t) : oldAnswer(run, t)[j], from = run.removes || !run.alpha ? 'S_before' : 'S_decayed';
  const cell = (i) => (run.removes ? (j === undefined ? at.z(t, i) : at.S(t, i, j)) : j === undefined ? decayedZ(run, t)[i] : at.decayed(i, j));
  const text = sum(all(run.D, (i) => times(n(k[t * run.D + i]), n(cell(i)))));
  const what = run.removes ? `what a${sub(t)} reads of S${sub(t)}, before the decay` : `what S${sub(t)}${run.alpha ? ', shrunk,' : ''} answers for the key of ${at.p}`;
  return { text: `old${j === undefined ? ' of z' : `[${letter(j)}]`} = ${n(value)} = ${text}, ${what}`, sources: all(run.D, (i) => [`${by}[${i}]`, j === undefined ? `${from.replace('S', 'z')}[${i}]` : `${from}[${i},${j}]`]).flat() };
}

/** u: the value itself, or the share β of what the old answer lacks. */
function writtenVector(at, j) {
  const { run, n, t } = at, name = j === undefined ? 'u of z' : `${run.corrects ? 'u' : 'v'}${sub(t)}[${letter(j)}]`;
  if (!run.corrects) return { text: `${name} = ${n(at.written(j))}, written into every row`, sources: [`v_typed[${j}]`] };
  const old = j === undefined ? oldAnswerZ(run, t) : oldAnswer(run, t)[j], value = j === undefined ? 1 : at.value(j), u = j === undefined ? run.uz[t] : at.written(j);
  return { text: `${name} = ${n(u)} = ${times(n(share(run, t, j)), n(value - old))}, the share β of the error, written into every row`, sources: [j === undefined ? 'error_z' : `error[${j}]`] };
}

function gap(at, j) {
  const value = j === undefined ? 1 : at.value(j), old = j === undefined ? oldAnswerZ(at.run, at.t) : oldAnswer(at.run, at.t)[j], minus = old < 0 ? `(${at.n(old)})` : at.n(old);
  return { text: `error${j === undefined ? ' of z' : `[${letter(j)}]`} = ${at.n(value - old)} = ${at.n(value)} − ${minus}, the value less the old answer`, sources: j === undefined ? ['old_z'] : [`v_typed[${j}]`, `old[${j}]`] };
}

function taken(at, j) {
  const { run, n, t } = at, old = j === undefined ? oldAnswerZ(run, t) : oldAnswer(run, t)[j], value = j === undefined ? removedZ(run, t) : removed(run, t, j);
  return { text: `taken${j === undefined ? ' from z' : `[${letter(j)}]`} = ${n(value)} = ${times(n(share(run, t, j)), n(old))}, the share β of what a${sub(t)} reads`, sources: j === undefined ? [] : [`old[${j}]`] };
}

const vectorOf = (name, what) => (at, i) => ({ text: `${name}${sub(at.t)}[${letter(i)}] = ${at.n(at.run[name][at.t * at.run.D + i])}: ${what}`, sources: [] });

const shrinks = (at, title, i, old, value, source) => ({ text: `${title} = ${at.n(value)} = ${times(at.n(at.run.alpha[at.t * at.run.D + i]), at.n(old))}, the share γ of what was there`, sources: [source] });

const total = ({ run, t }, array) => array.subarray(t * run.T, (t + 1) * run.T).reduce((sumSoFar, x) => sumSoFar + x, 0);

/** What query t reads of z₀ as it is left; 0 where none was carried in. */
const carriedScore = ({ run, t }) => (run.carried ? run.carried[t * (run.V + 1) + run.V] || 0 : 0);

/** Whose scores, shares and products lane B adds up. */
const added = (run) => (run.carried ? 'all tokens read and of the state carried in' : 'all tokens read');

const scaled = (at, text) => (at.run.scale === 1 ? text : `${at.n(at.run.scale)}·(${text})`);

const KINDS = {
  k_typed: (at, i) => ({ text: `component ${letter(i)} of the key typed for ${at.p}: ${at.n(at.run.kTyped[at.t * at.run.dk + i])}` }),
  q_typed: (at, i) => ({ text: `component ${letter(i)} of the query typed for ${at.p}: ${at.n(at.run.qTyped[at.t * at.run.dk + i])}` }),
  v_typed: (at, j) => ({ text: `component ${letter(j)} of the value typed for ${at.p}: ${at.n(at.run.v[at.t * at.run.V + j])}` }),
  k: (at, i) => mapped(at, 'k', i, at.run.kTyped, at.key(i)),
  q: (at, i) => mapped(at, 'q', i, at.run.qTyped, at.query(i)),
  u: writtenVector,
  u_z: (at) => writtenVector(at),
  old: answer,
  old_z: (at) => answer(at),
  error: gap,
  error_z: (at) => gap(at),
  removed: taken,
  removed_z: (at) => taken(at),
  a: vectorOf('a', 'it reads what is to be removed'),
  b: vectorOf('b', 'it says from which rows that is taken'),
  removal: (at, i, j) => ({ text: `removal at [${letter(i)},${letter(j)}] = ${at.n(at.run.b[at.t * at.run.D + i] * removed(at.run, at.t, j))} = ${times(at.n(at.run.b[at.t * at.run.D + i]), at.n(removed(at.run, at.t, j)))}`, sources: [`b[${i}]`, `removed[${j}]`] }),
  removal_z: (at, i) => ({ text: `removal from z = ${at.n(at.run.b[at.t * at.run.D + i] * removedZ(at.run, at.t))} = ${times(at.n(at.run.b[at.t * at.run.D + i]), at.n(removedZ(at.run, at.t)))}`, sources: [`b[${i}]`, 'removed_z'] }),
  S_decayed: (at, i, j) => shrinks(at, `shrunk S${sub(at.t)}[${letter(i)},${letter(j)}]`, i, at.S(at.t, i, j), at.decayed(i, j), `S_before[${i},${j}]`),
  z_decayed: (at, i) => shrinks(at, `shrunk z${sub(at.t)}[${letter(i)}]`, i, at.z(at.t, i), decayedZ(at.run, at.t)[i], `z_before[${i}]`),
  write: (at, i, j) => ({
    text: `write of ${at.p} at [${letter(i)},${letter(j)}] = k·${at.run.corrects ? 'u' : 'v'} = ${times(at.n(at.key(i)), at.n(at.written(j)))} = ${at.n(at.run.writes[(at.t * at.run.D + i) * at.run.V + j])}`,
    sources: [`k[${i}]`, `u[${j}]`],
  }),
  write_z: (at, i) => ({ text: `into z goes the key${at.run.corrects ? ', as far as z lacks it' : ' itself'}: ${times(at.n(at.key(i)), at.n(at.run.uz[at.t]))} = ${at.n(at.key(i) * at.run.uz[at.t])}`, sources: at.run.corrects ? [`k[${i}]`, 'u_z'] : [`k[${i}]`] }),
  S_before: (at, i, j) => state(at, 'before', at.t, i, j),
  S_after: (at, i, j) => state(at, 'after', at.step, i, j, before(at, i, j)),
  S_read: (at, i, j) => (at.run.bonus ? read(at, `S${sub(at.t)} and its own token at [${letter(i)},${letter(j)}]`, at.S(at.t, i, j), at.key(i), at.run.bonus[i], at.value(j), [`k[${i}]`, `v_typed[${j}]`]) : state(at, 'read', at.reads, i, j)),
  z_before: (at, i) => keySum(at, at.t, i),
  z_after: (at, i) => keySum(at, at.step, i, beforeZ(at, i)),
  z_read: (at, i) => (at.run.bonus ? read(at, `z${sub(at.t)} and its own token at [${letter(i)}]`, at.z(at.t, i), at.key(i), at.run.bonus[i], 1, [`k[${i}]`]) : keySum(at, at.reads, i)),
  read: (at, j) => ({
    text: `numerator ${letter(j)} = ${at.n(at.run.read[at.t * at.run.V + j])} = ${scaled(at, sum(all(at.run.D, (i) => times(at.n(at.query(i)), at.n(at.met(i, j))))))}`,
    sources: all(at.run.D, (i) => [`q[${i}]`, at.cell(i, j)]).flat(),
  }),
  norm: (at) => ({
    text: `score sum = ${at.n(at.run.norm[at.t])} = ${scaled(at, sum(all(at.run.D, (i) => times(at.n(at.query(i)), at.n(metZ(at.run, at.t)[i])))))}, q${sub(at.t)} times z`,
    sources: all(at.run.D, (i) => [`q[${i}]`, at.cell(i)]).flat(),
  }),
  y: (at, j) => ({ text: quotient(at, j), sources: at.run.divides ? [`read[${j}]`, 'norm'] : [`read[${j}]`] }),
  score: (at, s) => score(at, s),
  weight: (at, s) => ({ text: `share of p${sub(s)} = ${at.n(at.run.scores[at.t * at.run.T + s])} ÷ ${at.n(at.run.below[at.t])} = ${at.n(at.run.weights[at.t * at.run.T + s])}`, sources: [`score[${s}]`, 'norm'], tokens: [s] }),
  term: (at, s, j) => {
    const x = at.run.scores[at.t * at.run.T + s], v = at.run.v[s * at.run.V + j];
    return { text: `p${sub(s)} gives ${times(at.n(x), at.n(v))} = ${at.n(x * v)} to numerator ${letter(j)}`, sources: [`score[${s}]`, `read[${j}]`], tokens: [s] };
  },
  sum_score: (at) => ({ text: `the scores of ${added(at.run)} sum to ${at.n(total(at, at.run.scores) + carriedScore(at))}: lane A has it as q${sub(at.t)} times z`, sources: ['norm'] }),
  sum_share: (at) => ({ text: `the shares of ${added(at.run)} sum to ${percent(total(at, at.run.weights) + carriedScore(at) / at.run.below[at.t])}` }),
  sum_softmax: (at) => ({ text: `softmax's shares of all tokens read sum to ${percent(total(at, at.run.softmaxWeights))}` }),
  sum_term: (at, j) => ({ text: `score × value, summed over ${added(at.run)}: lane A has the same number under its column ${letter(j)}`, sources: [`read[${j}]`] }),
  carried: (at, j) => ({ text: `the state before p₀ gives ${at.n(at.run.carried[at.t * (at.run.V + 1) + j])} to numerator ${letter(j)}: q${sub(at.t)} times what is left of S₀`, sources: [`read[${j}]`] }),
  carried_score: (at) => ({ text: `the state before p₀ gives ${at.n(carriedScore(at))} to the score sum: q${sub(at.t)} times what is left of z₀`, sources: ['norm'] }),
  carried_share: (at) => ({ text: `share of the state before p₀ = ${at.n(carriedScore(at))} ÷ ${at.n(at.run.below[at.t])} = ${at.n(carriedScore(at) / at.run.below[at.t])}`, sources: ['carried_score', 'norm'] }),
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
  const corrected = run.corrects || run.removes, later = s < at.reads - 1;
  const how = corrected && (later || run.corrects) ? `, with the key of p${sub(s)} as ${later ? 'later writes left it' : 'β wrote it'}` : run.alpha && later ? `, with the key of p${sub(s)} shrunk by the decays since` : s >= at.reads ? `, with its own key times the bonus u` : '';
  const key = how ? `what is left of k${sub(s)}` : `k${sub(s)}`;
  return { text: `score of p${sub(s)} = q${sub(t)}·${s >= at.reads ? `u·k${sub(s)}` : key} = ${scaled(at, terms)} = ${n(run.scores[t * run.T + s])}${how}`, sources: all(run.D, (i) => `q[${i}]`), tokens: [s] };
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
    for (let j = 0; j < run.V; j++) {
      const shares = all(step, (r) => Math.abs(keptKey(run, r, i, step, j) * run.v[r * run.V + j]));
      const total = shares.reduce((sumSoFar, x) => sumSoFar + x, 0);
      parts[i * run.V + j] = total ? shares[s] / total : 0;
    }
  }
  return parts;
}
