// Lane B, "the kept list": the same sum, token by token, as if every key and value had been kept.

import { Num, el } from './dom.js';
import { dot, largest, seen } from './recurrence.js';
import { percent, short, sub, vector } from './words.js';

const ROOM = 4; // value components that fit as columns; past it only scores and shares
const LISTED = 12; // tokens in view before the list scrolls

export class LaneB {
  constructor(run, tools) {
    this.run = run;
    this.terms = run.V <= ROOM ? run.V : 0;
    this.shareLimit = Math.max(1, largest([run.weights]));
    this.body = el('tbody');
    this.table = el('table', {}, this.head(), this.body, this.foot());
    this.rows = Array.from({ length: run.T }, (_, s) => this.row(s));
    this.shown = 0;
    this.carried = run.carried ? this.carriedRow() : [];
    this.list = el('div', { class: 'list', tabindex: run.T > LISTED ? '0' : undefined, role: 'group', 'aria-label': 'kept tokens' }, this.table);
    this.note = el('p', { class: 'note' });
    this.size = el('small');
    this.node = el('section', { class: 'lane b op-read', 'aria-label': 'Lane B: the kept list' }, el('h3', {}, 'B  The kept list', this.size, ...tools), this.list, this.note);
  }

  head() {
    const { terms, run } = this, row = el('tr', {}, el('th', { scope: 'col' }, 'token'), (this.scoreName = el('th', { scope: 'col', class: 'num' }, 'score')));
    if (terms) row.append(el('th', { scope: 'col' }, 'value'), el('th', { scope: 'col', colspan: String(terms), class: 'num' }, 'score × value'));
    if (run.divides) row.append(el('th', { scope: 'col', class: 'num op-divide', title: 'score ÷ score sum' }, 'share'));
    row.append(el('th', { scope: 'col', class: 'num softmax', title: 'softmax attention on the same vectors: other scores, so another answer' }, 'softmax'));
    return el('thead', {}, row);
  }

  row(s) {
    const { run, terms } = this, digits = run.digits;
    const score = new Num(`score[${s}]`, { tag: 'td', digits, className: 'n score' });
    const term = Array.from({ length: terms }, (_, j) => new Num(`term[${s},${j}]`, { tag: 'td', digits, className: 'n term' }));
    const weight = run.divides ? new Num(`weight[${s}]`, { tag: 'td', className: 'n share op-divide', format: percent }) : null;
    const softmax = new Num(`softmax_weight[${s}]`, { tag: 'td', className: 'n share softmax', format: percent });
    const label = run.labels[s] === `p${s}` ? '' : short(run.labels[s]);
    const tr = el('tr', { 'data-token': s }, el('th', { scope: 'row', title: run.labels[s] }, label, label ? el('small', {}, ` p${sub(s)}`) : `p${sub(s)}`), score.node);
    if (terms) tr.append(el('td', { class: 'kept' }, vector(run.v.subarray(s * run.V, (s + 1) * run.V), digits)), ...term.map((num) => num.node));
    if (weight) tr.append(weight.node);
    tr.append(softmax.node);
    return { tr, score, term, weight, softmax };
  }

  /** What y owes to the state that was there before p₀. */
  carriedRow() {
    const { run } = this, nums = Array.from({ length: run.V }, (_, j) => new Num(`carried[${j}]`, { tag: this.terms ? 'td' : 'span', digits: run.digits }));
    const nodes = nums.map((num) => num.node), span = String(run.divides ? 2 : 1);
    const cells = this.terms ? [el('td'), el('td', { class: 'kept' }, `of y:`), ...nodes] : [el('td', { colspan: span }, 'of y: ', ...nodes.flatMap((node) => [node, ' ']))];
    this.body.append(el('tr', { class: 'carried' }, el('th', { scope: 'row', title: 'from the state before p₀' }, 'carried in'), ...cells));
    return nums;
  }

  foot() {
    const { run, terms } = this, digits = run.digits, sums = { tag: 'td', digits, className: 'n' };
    this.sumScore = new Num('sum_score', sums);
    this.sumTerm = Array.from({ length: terms }, (_, j) => new Num(`sum_term[${j}]`, { ...sums, className: 'n read' }));
    this.sumShare = new Num('sum_share', { ...sums, className: 'n op-divide', format: percent });
    this.sumSoftmax = new Num('sum_softmax', { ...sums, className: 'n softmax', format: percent });
    const row = el('tr', {}, el('th', { scope: 'row' }, 'Σ'), this.sumScore.node);
    if (terms) row.append(el('td'), ...this.sumTerm.map((num) => num.node));
    if (run.divides) row.append(this.sumShare.node);
    row.append(this.sumSoftmax.node);
    return el('tfoot', {}, row);
  }

  draw(step) {
    const { run } = this, t = step - 1, query = step > 0 && t < run.Tq;
    const length = query ? (run.full ? run.T : step) : 0, visible = query ? seen(run, t) : 0;
    for (; this.shown < length; this.shown++) this.body.append(this.rows[this.shown].tr);
    for (; this.shown > length; this.shown--) this.rows[this.shown - 1].tr.remove();
    for (let s = 0; s < length; s++) this.fillRow(this.rows[s], s, t, s < visible);
    this.carried.forEach((num, j) => num.set(query ? run.carried[t * run.V + j] : undefined));
    this.sums(t, query);
    this.scoreName.textContent = query && run.rule === 'add' ? `q${sub(t)}·k` : 'score';
    this.size.textContent = ` ${length} row${length === 1 ? '' : 's'}${run.full ? '' : ', grows'} `;
    this.note.textContent = this.noteText(t, length, visible);
    if (length > LISTED) this.list.scrollTop = run.full ? 0 : 1e6;
  }

  fillRow(row, s, t, visible) {
    const { run } = this, n = t * run.T + s;
    row.score.set(visible ? run.scores[n] : undefined);
    row.term.forEach((num, j) => num.set(visible ? run.scores[n] * run.v[s * run.V + j] : undefined));
    if (row.weight) this.share(row.weight, visible ? run.weights[n] : undefined);
    this.share(row.softmax, run.softmaxWeights[n]);
  }

  /** A share is its number and a bar of that length. */
  share(num, x) {
    num.set(x);
    const size = Number.isFinite(x) ? Math.min(1, Math.abs(x) / this.shareLimit) : 0;
    num.node.style.backgroundSize = `${(100 * size).toFixed(1)}% 100%`;
    num.node.classList.toggle('minus', x < 0);
  }

  sums(t, query) {
    const { run } = this, { T, V } = run, ones = (this.ones ??= new Float64Array(T).fill(1));
    const total = (array) => (query ? dot(array, t * T, 1, ones, 0, 1, T) : undefined);
    this.sumScore.set(total(run.scores));
    this.sumTerm.forEach((num, j) => num.set(query ? this.term(t, j) : undefined));
    this.sumShare.set(total(run.weights));
    this.sumSoftmax.set(total(run.softmaxWeights));
  }

  /** Σ over tokens of score × value, component j, left to right. */
  term(t, j) {
    return dot(this.run.scores, t * this.run.T, 1, this.run.v, j, this.run.V, this.run.T);
  }

  /** Largest difference between what the matrix and the list give: the claim "the same sum", computed. */
  difference(t) {
    const { run } = this;
    let most = 0;
    for (let j = 0; j < run.V; j++) {
      const carried = run.carried ? run.carried[t * run.V + j] * (run.divides ? run.below[t] : 1) : 0;
      most = Math.max(most, Math.abs(run.read[t * run.V + j] - this.term(t, j) - carried));
    }
    return most;
  }

  noteText(t, length, visible) {
    const { run } = this, notes = [];
    if (visible < length) notes.push(`p${sub(t)} is not read yet: this run reads before it writes`);
    if (length > LISTED) notes.push(`${length} tokens: scroll the list; Σ is over all`);
    return notes.join(' · ');
  }
}
