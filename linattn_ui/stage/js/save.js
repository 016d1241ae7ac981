// "This step" as a file, made in the browser from what is on screen: .json and .npz by the schema of
// linattn_core/snapshot.py, whose head Python sends; a test compares both with the core's own export.

import { attended, decayed, oldAnswer, removed } from './recurrence.js';

/** Arrays of one step by the schema's names: [name, shape, numbers]. */
export function arraysOf(run, step) {
  const { D, V, T, Tq } = run, t = step - 1;
  const rows = (array, at, ...shape) => [shape, array.slice(at * size(shape), (at + 1) * size(shape))];
  const one = (x) => [[], Float64Array.of(x)];
  const out = {};
  if (step > 0 && step <= T) {
    out.k_phi = rows(run.k, t, D);
    out.u = rows(run.u, t, V);
    out.write = rows(run.writes, t, D, V);
    out.S_before = rows(run.S, t, D, V);
    Object.assign(out, between(run, t));
    if (run.oneMap) out.z_before = rows(run.z, t, D);
  }
  out.S_after = rows(run.S, step, D, V);
  if (run.oneMap) out.z_after = rows(run.z, step, D);
  if (step > 0 && t < Tq) Object.assign(out, query(run, t, rows, one));
  return out;
}

/** What the rule makes of S[t] before it writes, as far as it does anything. */
function between(run, t) {
  const { D, V, v } = run, out = {};
  if (run.alpha) out.S_decayed = [[D, V], decayed(run, t)];
  if (run.asks) out.old = [[V], oldAnswer(run, t)];
  if (run.corrects) out.error = [[V], out.old[1].map((x, j) => v[t * V + j] - x)];
  if (run.removes) out.removal = [[D, V], Float64Array.from({ length: D * V }, (_, n) => run.b[t * D + Math.floor(n / V)] * removed(run, t, n % V))];
  return out;
}

function query(run, t, rows, one) {
  const { D, V, T } = run, keys = attended(run, t);
  const row = (array, length) => [[length], array.slice(t * T, t * T + length)];
  return {
    q_phi: rows(run.q, t, D),
    read: rows(run.read, t, V),
    y: rows(run.y, t, V),
    ...(run.oneMap ? { norm: one(run.norm[t]), scores: row(run.scores, keys), weights: row(run.weights, keys) } : {}),
    softmax_scale: one(run.softmaxScale),
    softmax_weights: row(run.softmaxWeights, keys),
    softmax_y: rows(run.softmaxY, t, V),
  };
}

const size = (shape) => shape.reduce((product, n) => product * n, 1);

/** JSON in which every float comes back with the same bits: −0.0 and the non-finite included. */
const text = (x) => (Object.is(x, -0) ? '-0.0' : Number.isFinite(x) ? String(x) : JSON.stringify(String(x)));

function nested(shape, numbers) {
  if (!shape.length) return text(numbers[0]);
  const step = numbers.length / shape[0];
  return `[${Array.from({ length: shape[0] }, (_, i) => (shape.length > 1 ? nested(shape.slice(1), numbers.subarray(i * step, (i + 1) * step)) : text(numbers[i]))).join(',')}]`;
}

/** The start of the file, with the tokens as typed and the step; open at its end. */
function head(run, step) {
  const typed = tables(run).map(([name, [shape, numbers]]) => `"${name}": ${nested(shape, numbers)}`).join(', ');
  return `${run.head.slice(0, -1)}, "tokens": ${run.headTokens.slice(0, -1)}, ${typed}}, "step": ${step}`;
}

const tables = (run) => [['q', [[run.Tq, run.dk], run.qTyped]], ['k', [[run.T, run.dk], run.kTyped]], ['v', [[run.T, run.V], run.v]]];

export function json(run, step) {
  const results = Object.entries(arraysOf(run, step)).map(([name, [shape, numbers]]) => `"${name}": ${nested(shape, numbers)}`);
  return new Blob([`${head(run, step)}, "results": {${results.join(', ')}}}`], { type: 'application/json' });
}

/** A .npz is a zip of .npy files; stored, not compressed. */
export function npz(run, step) {
  const meta = `${head(run, step)}}`, arrays = [...tables(run), ...Object.entries(arraysOf(run, step))];
  const files = arrays.map(([name, [shape, numbers]]) => [name, npy('<f8', shape, new Uint8Array(Float64Array.from(numbers).buffer))]);
  return zip([...files, ['meta', npy(`<U${[...meta].length}`, [], utf32(meta))]].map(([name, bytes]) => [`${name}.npy`, bytes]));
}

const utf32 = (string) => new Uint8Array(Uint32Array.from(string, (c) => c.codePointAt(0)).buffer);

/** NumPy's format 1.0: magic, header padded to 64 bytes, then the numbers. */
function npy(dtype, shape, bytes) {
  const dict = `{'descr': '${dtype}', 'fortran_order': False, 'shape': (${shape.map((n) => `${n},`).join(' ')}), }`;
  const header = dict.padEnd(Math.ceil((dict.length + 11) / 64) * 64 - 11) + '\n';
  const start = [0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, header.length & 255, header.length >> 8];
  return join([Uint8Array.from(start), new TextEncoder().encode(header), bytes]);
}

function join(parts) {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

function zip(files) {
  const local = [], central = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const title = new TextEncoder().encode(name), sum = crc32(bytes), sizes = [sum, bytes.length, bytes.length];
    const head = join([words([0x04034b50], 4), words([20, 0, 0, 0, 33], 2), words(sizes, 4), words([title.length, 0], 2), title]);
    central.push(join([words([0x02014b50], 4), words([20, 20, 0, 0, 0, 33], 2), words(sizes, 4), words([title.length, 0, 0, 0, 0], 2), words([0, offset], 4), title]));
    local.push(head, bytes);
    offset += head.length + bytes.length;
  }
  const directory = join(central);
  const end = join([words([0x06054b50], 4), words([0, 0, files.length, files.length], 2), words([directory.length, offset], 4), words([0], 2)]);
  return new Blob([...local, directory, end], { type: 'application/octet-stream' });
}

/** Little-endian integers of `size` bytes each. */
const words = (numbers, size) => Uint8Array.from(numbers.flatMap((n) => Array.from({ length: size }, (_, byte) => (n >>> (8 * byte)) & 255)));

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

const crc32 = (bytes) => ~bytes.reduce((sum, byte) => CRC[(sum ^ byte) & 255] ^ (sum >>> 8), ~0) >>> 0;

export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a busy browser may start late
}
