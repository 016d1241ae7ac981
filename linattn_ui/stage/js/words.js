// Numbers and sentences. Whatever a reader sees as text is made here.

import { oldAnswer, removed, share } from './recurrence.js';

/** Digits of a caption: long vectors are told shorter, none longer than the cells. */
const digits = (run) => Math.min(run.digits, run.V > 3 ? 2 : 3);
const told = (xs, run) => vector(xs, digits(run));

/** 12 -> "₁₂" */
export const sub = (n) => String(n).replace(/\d/g, (c) => '₀₁₂₃₄₅₆₇₈₉'[c]);

/** 0 -> "a", 26 -> "aa": the name of a component. */
export const letter = (i) => (i < 26 ? '' : letter(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));

/** Full precision, so that Python's float() gives the same bits back. */
export const exact = (x) => (Object.is(x, -0) ? '-0' : String(x));

/** A number as the reader sees it: at most `digits` decimals, `mantissa` of them before an exponent, never rounded to 0 unless it is 0. */
export function number(x, digits = 3, mantissa = 1) {
  if (Number.isNaN(x)) return 'undefined';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 0.5 * 10 ** -digits ? size.toExponential(Math.min(digits, mantissa)).replace('.0e', 'e').replace('e+', 'e') : plain(size, digits);
  return x < 0 ? '−' + text : text;
}

/** A number for a narrow cell: fewer decimals where there are more digits before the point, none before an exponent. */
export const tight = (x, digits) => number(x, Math.max(0, digits - (Math.abs(x) >= 9.995) - (Math.abs(x) >= 99.95)), 0);

const plain = (size, digits) => { const text = size.toFixed(digits); return text.includes('.') ? text.replace(/\.?0+$/, '') : text; };

/** "[3, 1]"; past 6 components the first three and the last. */
export function vector(xs, digits) {
  const all = Array.from(xs, (x) => number(x, digits));
  return `[${(all.length > 6 ? [...all.slice(0, 3), '…', all[all.length - 1]] : all).join(', ')}]`;
}

/** A share of the whole: 0.5 -> "50 %". */
export const percent = (x) => (Number.isFinite(x) ? `${number(100 * x, Math.abs(x) < 0.1 ? 1 : 0)} %` : 'undefined');

/** Factors with brackets around negative ones: "2·(−1)". */
export const times = (...xs) => xs.map((x, n) => (n && x.startsWith('−') ? `(${x})` : x)).join('·');

/** "1·2 + 0·3", cut in the middle past `most` terms. */
export function sum(terms, most = 8) {
  const kept = terms.length > most ? [...terms.slice(0, most - 2), `… (${terms.length - most + 1} more) …`, terms[terms.length - 1]] : terms;
  return kept.join(' + ').replaceAll('+ −', '− ') || '0';
}

export const count = (n) => `${n} token${n === 1 ? '' : 's'}`;

/** "p₂", with the reader's own label before it where there is one. */
export const token = (run, s) => (run.labels[s] === `p${s}` ? `p${sub(s)}` : `“\u2068${short(run.labels[s])}\u2069” (p${sub(s)})`); // isolated: a right-to-left label turns nothing else round

/** A label that cannot push anything off the page: first 18 characters, line breaks made visible. */
export function short(label, most = 18) {
  const text = Array.from(label.replace(/\r?\n/g, '↵').replace(/\t/g, '⇥'));
  return text.length > most ? text.slice(0, most - 1).join('') + '…' : text.join('');
}

const rows = (run, xs) => Array.from(xs, (x, i) => [x, i]).filter(([x]) => x !== 0);

/** What token s does to the state, from its own numbers. */
function written(run, s) {
  const key = run.k.subarray(s * run.D, (s + 1) * run.D), value = run.u.subarray(s * run.V, (s + 1) * run.V);
  const name = `p${sub(s)}`;
  if (!key.some((x) => x !== 0)) return `${name} has a key of zeros, so it ${run.corrects ? 'asks and writes' : 'adds'} nothing`;
  if (run.corrects) return corrected(run, s, key, value);
  return `${run.removes ? taken(run, s) : ''}${name} adds ${spread(run, key, value, 'its value')}`;
}

/** "1×[2, 0] to row a"; of many rows the one that gets most. */
function spread(run, key, value, what) {
  const hit = rows(run, key);
  if (hit.length <= 3) return hit.map(([x, i]) => `${number(x)}×${told(value, run)} to row ${letter(i)}`).join(', ');
  const [most, i] = hit.reduce((a, b) => (Math.abs(b[0]) > Math.abs(a[0]) ? b : a));
  return `${what} to ${hit.length === run.D ? `all ${run.D}` : hit.length} rows, most of it, ${number(most)}×, to row ${letter(i)}`;
}

/** "p₂ asks S₂ for its key: [2, 0]; its value is [1, 1], so it writes the error, 1×[−1, 1] to row a"; long vectors are not told. */
function corrected(run, s, key, u) {
  const old = oldAnswer(run, s), value = run.v.subarray(s * run.V, (s + 1) * run.V), beta = value.map((_, j) => share(run, s, j));
  const asks = `p${sub(s)} asks S${sub(s)} for its key${run.V > 3 ? '' : `: ${told(old, run)}; its value is ${told(value, run)}`}`;
  if (value.every((x, j) => x === old[j])) return `${asks}, so nothing is left to write`;
  if (beta.every((x) => x === 0)) return `${asks}, but β is 0, so it writes nothing`;
  const part = beta.every((x) => x === 1) ? '' : `${beta.every((x) => x === beta[0]) ? number(beta[0]) : 'a share β'} of `;
  return `${asks}${run.V > 3 ? ' and writes' : ', so it writes'} ${part}${spread(run, key, u, 'the error').replace(/^(?!the error)/, 'the error, ')}`;
}

/** "a₂ reads [−2, 0] of S₂, and b₂ adds that 1× to row a; " */
function taken(run, s) {
  const what = Float64Array.from({ length: run.V }, (_, j) => removed(run, s, j)), b = run.b.subarray(s * run.D, (s + 1) * run.D), t = sub(s);
  if (!what.some((x) => x !== 0) || !b.some((x) => x !== 0)) return '';
  const share1 = run.beta.every((x) => x === 1) ? '' : ', times β';
  return `a${t} reads ${told(oldAnswer(run, s), run)} of S${t}${share1}, which b${t} adds: ${spread(run, b, what, 'it goes')}; `;
}

/** Why y does not exist. */
const fault = (run, t) => (run.norm[t] + run.eps === 0 ? 'scores sum to 0' : 'sums do not fit a float');

/** "3÷2, 1÷2 = [1.5, 0.5]" or, for long vectors, what every component is divided by. */
function divided(run, t) {
  const top = run.read.subarray(t * run.V, (t + 1) * run.V), y = run.y.subarray(t * run.V, (t + 1) * run.V), name = `y${sub(t)}`;
  if (!run.divides) return `${name} is that sum: this run does not divide`;
  const below = number(run.below[t], digits(run));
  if (Number.isNaN(y[0])) return `${run.readsFirst && t === 0 && !run.carriesState ? 'no token was written before it' : `its ${fault(run, t)}`}, so ${name} is undefined`;
  if (!Number.isFinite(run.norm[t]) || run.norm[t] === 0) return `the score sum does not fit a float; scaled row by row, ${name} = ${told(y, run)}`;
  return `${run.V > 3 ? `all ÷ ${below}` : Array.from(top, (x) => `${number(x, digits(run))}÷${below}`).join(', ')} = ${told(y, run)}`;
}

/** What the query reads, and from which state where that is not the one just written. */
function read(run, t) {
  const own = run.bonus && run.bonus.some((x) => x !== 0);
  const from = own ? ` from S${sub(t)} and u times its own token, before this write,` : run.full ? ` from S${sub(run.T)}` : run.readsFirst ? ` from S${sub(t)}, before this write,` : '';
  return `q${sub(t)} reads${from} ${told(run.read.subarray(t * run.V, (t + 1) * run.V), run)}`;
}

/** The sentence over the picture: what to look at, with this step's numbers; only what is reached. */
export function caption(run, step, reached) {
  if (step === 0) return `S₀: nothing written, every cell is ${run.carriesState ? 'what was carried in' : '0'}. Press → to write ${token(run, 0)}, the first of ${count(run.T)}.`;
  const t = step - 1, parts = [], has = (name) => reached.includes(name) && (t < run.Tq || name === 'write');
  if (run.alpha && (t > 0 || run.carriesState) && has('write')) parts.push(shrinking(run, t));
  if (has('write')) parts.push(written(run, t));
  if (has('read')) parts.push(read(run, t));
  if (has('divide') || (has('read') && !run.divides)) parts.push(divided(run, t));
  return `S${sub(step)}: ${count(step)} written, last ${token(run, t)}. ${parts.join('; ')}.`;
}

function shrinking(run, t) {
  const part = kept(run, t), rows = part.length > 1;
  return part[0] === '1' && !rows ? 'The old state is kept whole' : `The old state shrinks to ${part.join(' to ')} of itself${rows ? ', row by row' : ''}`;
}

/** What token t keeps of the old state: one share, or the least and the largest of its rows. 1 is 1 exactly. */
export function kept(run, t) {
  const a = run.alpha.subarray(t * run.D, (t + 1) * run.D), ends = [Math.min(...a), Math.max(...a)];
  const texts = ends.map((x) => (x < 1 && number(x) === '1' ? 'just below 1' : number(x)));
  return texts[0] === texts[1] ? [texts[0]] : texts;
}

/** Why y cannot be trusted or does not exist; empty where all is well. */
export function doubts(run, t) {
  if (!run.divides) return '';
  const s = run.scores.subarray(t * run.T, (t + 1) * run.T);
  const carried = run.carriesState ? Math.abs(run.norm[t] - s.reduce((sum, x) => sum + x, 0)) : 0; // one more score
  const condition = s.reduce((sum, x) => sum + Math.abs(x), carried) / Math.abs(run.norm[t]);
  if (Number.isNaN(run.y[t * run.V])) return `undefined: the ${fault(run, t)}`;
  if (condition > 1e12 && Number.isFinite(condition)) return `scores cancel: |scores| sum to ${number(condition)} times the score sum, so rounding decides y`;
  if (run.norm[t] < 0) return 'the score sum is negative: this is not an average';
  return s.some((x) => x < 0) ? 'a score is negative: its value is subtracted' : '';
}
