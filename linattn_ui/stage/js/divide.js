// Where the two lanes meet: numerator ÷ score sum = y.

import { Num, el } from './dom.js';
import { seen } from './recurrence.js';
import { doubts, number, sub, vector } from './words.js';

const SPELLED = 4; // value components whose numerator is repeated here

export class Divide {
  constructor(run, laneB) {
    this.run = run;
    this.laneB = laneB;
    const drawn = Math.min(run.V, 64), digits = run.digits;
    this.y = Array.from({ length: drawn }, (_, j) => new Num(`y[${j}]`, { digits, className: 'n y' }));
    this.softmax = Array.from({ length: drawn }, (_, j) => new Num(`softmax_y[${j}]`, { digits }));
    this.top = el('b');
    this.bottom = el('b');
    this.read = el('small');
    this.name = el('span', { class: 'name' });
    this.equal = el('p', { class: 'equal op-read' });
    this.doubt = el('p', { class: 'doubt op-divide', role: 'status' });
    const brackets = (nums) => ['[', ...nums.flatMap((num, j) => [j ? ' ' : null, num.node]), ']'];
    this.answer = el('span', { class: 'answer op-divide' }, this.name, ...brackets(this.y));
    this.soft = el('span', { class: 'softmax' }, el('small', {}, 'softmax: '), ...brackets(this.softmax));
    const below = run.divides ? [el('span', { class: 'sign' }, '÷'), el('span', { class: 'z' }, 'score sum ', this.bottom), this.read, el('span', { class: 'sign' }, '=')] : [el('span', { class: 'sign' }, '=')];
    this.sumNode = el('span', { class: 'op-divide below' }, ...below);
    this.line = el('p', { class: 'line' }, el('span', { class: 'op-read upper' }, 'numerator', this.top), this.sumNode, this.answer, this.soft);
    this.node = el('section', { class: 'divide', 'aria-label': 'Divide by the score sum' }, this.line, this.doubt, this.equal);
  }

  draw(step) {
    const { run } = this, { V } = run, t = step - 1, query = step > 0 && t < run.Tq;
    this.line.classList.toggle('empty', !query);
    this.y.forEach((num, j) => num.set(query ? run.y[t * V + j] : undefined));
    this.softmax.forEach((num, j) => num.set(query ? run.softmaxY[t * V + j] : undefined));
    if (!query) return [this.doubt, this.equal].forEach((node) => (node.textContent = ''));
    const read = run.read.subarray(t * V, (t + 1) * V), visible = seen(run, t);
    this.top.textContent = V <= SPELLED ? ` ${vector(read, run.digits)}` : ': row Σ of A';
    this.bottom.textContent = number(run.norm[t], run.digits) + (run.eps ? ` + ${number(run.eps)} (eps)` : '');
    this.read.textContent = ` (${visible} token${visible === 1 ? '' : 's'} read)`;
    this.name.textContent = `y${sub(t)} = `;
    this.doubt.textContent = doubts(run, t);
    const gap = this.laneB.difference(t);
    this.equal.textContent = gap === undefined ? '' : Number.isFinite(gap) ? `numerators of A and B differ by ${number(gap)}` : 'the numerators do not fit a float';
  }
}
