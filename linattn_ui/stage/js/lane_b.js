// Lane B, "the kept list": the same sum, token by token, as if every key and value had been kept.

import { Num, el } from './dom.js';
import { dot, largest, seen } from './recurrence.js';
import { number, percent, short, sub, tight, vector } from './words.js';

const ROOM = 4; // value components that fit as columns; past it only scores and shares
const VALUED = 2; // value components up to which the value itself has a column too
const LISTED = 12; // tokens in view before the list scrolls

const cell = (className, ...children) => el('div', { role: 'cell', class: className }, ...children);
const head = (className, text, title) => el('div', { role: 'columnheader', class: className, title }, text);
const row = (className, ...cells) => el('div', { role: 'row', class: `row ${className}` }, ...cells);

export class LaneB {
  constructor(run, tools) {
    this.run = run;
    this.terms = run.V <= ROOM && run.oneMap ? run.V : 0;
    this.valued = run.V <= VALUED;
    this.shareLimit = Math.max(1, largest([run.weights ?? []]));
    this.body = el('div', { role: 'rowgroup' });
    this.rows = Array.from({ length: run.T }, (_, s) => this.row(s));
    this.shown = 0;
    this.carried = run.carried && run.oneMap ? this.carriedRow() : null;
    const table = el('div', { class: 'rows', role: 'table', 'aria-label': 'the kept list' }, this.head(), this.body, this.foot());
    const scrolls = run.T > LISTED;
    this.list = el('div', { class: `list${scrolls && !run.full ? ' newest' : ''}`, tabindex: scrolls ? '0' : undefined, role: 'group', 'aria-label': 'kept tokens' }, table);
    this.list.style.setProperty('--terms', this.terms);
    this.note = el('p', { class: 'note' });
    this.size = el('small');
    this.node = el('section', { class: `lane b op-read${run.oneMap ? '' : ' unmapped'}${this.valued ? ' valued' : this.terms ? ' wide' : ''}`, 'aria-label': 'Lane B: the kept list' }, el('h2', {}, 'B  The kept list', this.size, ...tools), this.list, this.note);
  }

  num(name, className, options) {
    const num = new Num(name, { className: `n ${className}`, digits: this.valued ? this.run.digits : Math.min(2, this.run.digits), format: this.valued ? number : tight, ...options });
    num.node.setAttribute('role', 'cell');
    return num;
  }

  /** The columns of one row after its name, in order; a run or a width may lack some. */
  columns({ score, value, terms, share, softmax }) {
    const cells = this.run.oneMap ? [score] : [];
    if (this.valued) cells.push(value);
    if (this.terms) cells.push(...terms);
    if (this.run.divides) cells.push(share);
    return [...cells, softmax];
  }

  head() {
    this.scoreName = head('num', 'score');
    const terms = [head(this.terms > 1 ? 'over' : 'num', this.terms > 1 ? 'score × value' : '× value', 'score × value'), ...Array.from({ length: this.terms - 1 }, () => cell(''))];
    return row('head', head('', 'token'), ...this.columns({ score: this.scoreName, value: head('', 'value'), terms, share: head('num op-divide', 'share', 'score ÷ score sum'), softmax: head('num softmax', 'softmax', 'softmax attention on the same vectors: other scores, so another answer') }));
  }

  row(s) {
    const { run } = this, label = run.labels[s] === `p${s}` ? '' : short(run.labels[s]);
    const score = this.num(`score[${s}]`, 'score');
    const term = Array.from({ length: this.terms }, (_, j) => this.num(`term[${s},${j}]`, 'term'));
    const weight = this.num(`weight[${s}]`, 'share op-divide', { format: percent }), softmax = this.num(`softmax_weight[${s}]`, 'share softmax', { format: percent });
    const name = el('div', { role: 'rowheader', class: 'name', title: run.labels[s].slice(0, 200) }, label, label ? el('small', {}, ` p${sub(s)}`) : `p${sub(s)}`);
    const value = cell('kept', vector(run.v.subarray(s * run.V, (s + 1) * run.V), run.digits));
    const node = row('', name, ...this.columns({ score: score.node, value, terms: term.map((num) => num.node), share: weight.node, softmax: softmax.node }));
    node.dataset.token = s;
    return { node, score, term, weight: run.divides ? weight : null, softmax };
  }

  /** The state that was there before p₀, as one more row: z₀ is its key, S₀ its key times value. */
  carriedRow() {
    const score = this.num('carried_score', 'score'), share = this.num('carried_share', 'share op-divide', { format: percent });
    const term = Array.from({ length: this.terms }, (_, j) => this.num(`carried[${j}]`, 'term'));
    const name = el('div', { role: 'rowheader', class: 'name', title: 'from the state before p₀' }, 'carried in');
    this.body.append(row('', name, ...this.columns({ score: score.node, value: cell('kept', ''), terms: term.map((num) => num.node), share: share.node, softmax: cell('softmax') })));
    return { score, term, share };
  }

  foot() {
    this.sumScore = this.num('sum_score', '');
    this.sumTerm = Array.from({ length: this.terms }, (_, j) => this.num(`sum_term[${j}]`, 'read'));
    this.sumShare = this.num('sum_share', 'op-divide', { format: percent });
    this.sumSoftmax = this.num('sum_softmax', 'softmax', { format: percent });
    return row('foot', el('div', { role: 'rowheader', class: 'name' }, 'Σ'), ...this.columns({ score: this.sumScore.node, value: cell(''), terms: this.sumTerm.map((num) => num.node), share: this.sumShare.node, softmax: this.sumSoftmax.node }));
  }

  draw(step) {
    const { run } = this, t = step - 1, query = step > 0 && t < run.Tq;
    const length = query ? (run.full ? run.T : step) : 0, visible = query ? seen(run, t) : 0;
    for (; this.shown < length; this.shown++) this.body.append(this.rows[this.shown].node);
    for (; this.shown > length; this.shown--) this.rows[this.shown - 1].node.remove();
    for (let s = 0; s < length; s++) this.fillRow(this.rows[s], s, t, s < visible);
    if (this.carried) this.fillCarried(t, query);
    this.sums(t, query);
    this.scoreName.textContent = query && run.rule === 'add' ? `q${sub(t)}·k` : 'score';
    this.size.textContent = ` ${length} row${length === 1 ? '' : 's'}${run.full ? '' : ', grows'} `;
    this.note.textContent = this.noteText(t, length, visible);
  }

  fillRow(row, s, t, visible) {
    const { run } = this, n = t * run.T + s;
    row.score.set(visible && run.oneMap ? run.scores[n] : undefined);
    row.term.forEach((num, j) => num.set(visible ? run.scores[n] * run.v[s * run.V + j] : undefined));
    if (row.weight) this.share(row.weight, visible ? run.weights[n] : undefined);
    this.share(row.softmax, run.softmaxWeights[n]);
  }

  fillCarried(t, query) {
    const { score, term, share } = this.carried, known = query && this.carriedShares(t);
    score.set(known ? known.score : undefined);
    term.forEach((num, j) => num.set(query ? this.carriedTerm(t, j) : undefined));
    if (this.run.divides) this.share(share, known ? known.share : undefined);
  }

  /** What query t reads of the state carried in, column j of S₀; 0 where nothing was. */
  carriedTerm(t, j) { return this.carried ? this.run.carried[t * (this.run.V + 1) + j] : 0; }

  /** The same of z₀, and its share of y; null where no z₀ was carried in. */
  carriedShares(t) {
    const score = this.carried ? this.carriedTerm(t, this.run.V) : NaN;
    return Number.isNaN(score) ? null : { score, share: score / this.run.below[t] };
  }

  /** A share is its number and a bar of that length. */
  share(num, x) {
    num.set(x);
    const size = Number.isFinite(x) ? Math.min(1, Math.abs(x) / this.shareLimit) : 0;
    num.node.style.backgroundSize = `${(100 * size).toFixed(1)}% 100%`;
    num.node.classList.toggle('minus', x < 0);
  }

  sums(t, query) {
    const { run } = this, { T } = run, ones = (this.ones ??= new Float64Array(T).fill(1));
    const total = (array) => dot(array, t * T, 1, ones, 0, 1, T), carried = (query && this.carriedShares(t)) || { score: 0, share: 0 };
    this.sumScore.set(query && run.oneMap ? total(run.scores) + carried.score : undefined);
    this.sumTerm.forEach((num, j) => num.set(query ? this.term(t, j) + this.carriedTerm(t, j) : undefined));
    this.sumShare.set(query && run.divides ? total(run.weights) + carried.share : undefined);
    this.sumSoftmax.set(query ? total(run.softmaxWeights) : undefined);
  }

  /** Σ over tokens of score × value, component j, left to right. */
  term(t, j) {
    return dot(this.run.scores, t * this.run.T, 1, this.run.v, j, this.run.V, this.run.T);
  }

  /** Largest difference between what the matrix and the list give: the claim "the same sum", computed. */
  difference(t) {
    const { run } = this;
    if (!run.oneMap) return undefined;
    let most = 0;
    for (let j = 0; j < run.V; j++) most = Math.max(most, Math.abs(run.read[t * run.V + j] - this.term(t, j) - this.carriedTerm(t, j)));
    return most;
  }

  noteText(t, length, visible) {
    const { run } = this, notes = [];
    if (!run.oneMap) notes.push('β differs between value components, so no single weight per token gives y: the matrix alone does');
    if (visible < length) notes.push(`p${sub(t)} is not read yet: this run reads before it writes`);
    if (length > LISTED) notes.push(`${length} tokens: scroll the list; Σ is over all`);
    return notes.join(' · ');
  }
}
