// The translator without a library: encoder, decoder and key/value cache of one sentence, with the
// names of mtcourse/models/encoder_decoder.py. A row of numbers is a Float32Array; a list of rows is
// a list. Search knows none of this (search.js): it is given step().

const EPSILON = 1e-5; // of layer normalisation

// --- weights ------------------------------------------------------------------------------------

// What a file of safetensors holds, by name: {shape, values}. Half precision becomes float32 once.
export function readWeights(buffer) {
  const view = new DataView(buffer);
  const header = Number(view.getBigUint64(0, true));
  const names = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, header)));
  delete names.__metadata__;
  const read = { F16: readHalves, F32: (from, to) => new Float32Array(buffer.slice(from, to)) };
  return Object.fromEntries(Object.entries(names).map(([name, { dtype, shape, data_offsets }]) => {
    const [from, to] = data_offsets.map((offset) => 8 + header + offset);
    return [name, { shape, values: read[dtype](from, to, view) }];
  }));
}

function readHalves(from, to, view) {
  const values = new Float32Array((to - from) / 2);
  for (let i = 0; i < values.length; i++) values[i] = half(view.getUint16(from + 2 * i, true));
  return values;
}

// A sign, five bits of exponent, ten of fraction.
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

// --- equations ----------------------------------------------------------------------------------

// x W + b; W lies as torch keeps it, with a row for each output.
export function linear(x, { weight, bias }) {
  const [outputs, inputs] = weight.shape;
  const W = weight.values;
  const y = new Float32Array(outputs);
  for (let o = 0, at = 0; o < outputs; o++) {
    let a = 0, b = 0, c = 0, d = 0; // four sums at a time: none waits for another
    let i = 0;
    for (; i + 3 < inputs; i += 4, at += 4) {
      a += W[at] * x[i];
      b += W[at + 1] * x[i + 1];
      c += W[at + 2] * x[i + 2];
      d += W[at + 3] * x[i + 3];
    }
    for (; i < inputs; i++, at++) a += W[at] * x[i];
    y[o] = a + b + c + d + (bias ? bias.values[o] : 0);
  }
  return y;
}

export function layerNorm(x, { weight, bias }) {
  let mean = 0, variance = 0;
  for (let i = 0; i < x.length; i++) mean += x[i] / x.length;
  for (let i = 0; i < x.length; i++) variance += (x[i] - mean) ** 2 / x.length;
  const scale = 1 / Math.sqrt(variance + EPSILON);
  return x.map((value, i) => (value - mean) * scale * weight.values[i] + bias.values[i]);
}

// Logits that are -Infinity get the share 0.
export function softmax(scores) {
  const highest = greatest(scores);
  const shares = new Float64Array(scores.length);
  let whole = 0;
  for (let i = 0; i < scores.length; i++) whole += shares[i] = Math.exp(scores[i] - highest);
  for (let i = 0; i < scores.length; i++) shares[i] /= whole;
  return shares;
}

export function logSoftmax(scores) {
  const highest = greatest(scores);
  const logarithms = new Float64Array(scores.length);
  let whole = 0;
  for (let i = 0; i < scores.length; i++) whole += Math.exp(scores[i] - highest);
  const subtracted = highest + Math.log(whole);
  for (let i = 0; i < scores.length; i++) logarithms[i] = scores[i] - subtracted;
  return logarithms;
}

function greatest(values) {
  let found = -Infinity;
  for (let i = 0; i < values.length; i++) if (values[i] > found) found = values[i];
  return found;
}

// A = softmax(q K^T / sqrt(d_k)) V for each of h heads, side by side in one row, and their weights.
// A head that is switched off adds nothing: its part of the row is 0.
export function attention(q, K, V, h, off) {
  const width = q.length / h;
  const row = new Float32Array(q.length);
  const weights = Array.from({ length: h }, (_, head) => {
    const [from, to] = [head * width, (head + 1) * width];
    const scores = new Float64Array(K.length);
    for (let n = 0; n < K.length; n++) {
      for (let i = from; i < to; i++) scores[n] += q[i] * K[n][i];
      scores[n] /= Math.sqrt(width);
    }
    const shares = softmax(scores);
    for (let n = 0; n < V.length && !off(head); n++) {
      for (let i = from; i < to; i++) row[i] += shares[n] * V[n][i];
    }
    return shares;
  });
  return { row, weights };
}

// sin(pos / 10000^(2i/d)) in the even columns, the cosine of the same in the odd ones.
export function positionRow(position, d_model) {
  return Float32Array.from({ length: d_model }, (_, j) => {
    const angle = position * 10000 ** (-(j - (j % 2)) / d_model);
    return j % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

const parts = (row, count) =>
  Array.from({ length: count }, (_, i) => row.subarray((i * row.length) / count, ((i + 1) * row.length) / count));
const plus = (x, y) => x.map((value, i) => value + y[i]);

// --- the model ----------------------------------------------------------------------------------

// config: as in config.json. weights: of readWeights. watch(name, position, values) hears of what is
// computed on the way: the name is that of the module, as in encoder.0.self_attention, the values are
// rows by the name that the documents give them.
export class EncoderDecoder {
  constructor(config, weights, watch = () => {}) {
    this.config = config;
    this.watch = watch;
    this.at = (name) => ({ weight: weights[`${name}.weight`], bias: weights[`${name}.bias`] });
    this.table = { target: weights.output_weight, output: weights.output_weight };
    this.table.source = weights["source_embedding.W_E"] ?? weights.output_weight;
    this.table.target = weights["target_embedding.W_E"] ?? weights.output_weight;
  }

  embed(side, id, position) {
    const d_model = this.config.d_model;
    const E = this.table[side].values.subarray(id * d_model, (id + 1) * d_model);
    const P = positionRow(position, d_model);
    const X = P.map((value, i) => value + Math.sqrt(d_model) * E[i]);
    this.watch(`${side}_embedding`, position, { E, P, X });
    return X;
  }

  // x + F(LayerNorm(x)), or with post-norm LayerNorm(x + F(x)).
  around(name, position, x, F) {
    const norm = this.at(`${name}.layer_norm`);
    const pre = this.config.norm === "pre";
    const read = pre ? layerNorm(x, norm) : x;
    const added = F(read);
    const sum = plus(x, added);
    const written = pre ? sum : layerNorm(sum, norm);
    this.watch(name, position, { x, read, added, written });
    return written;
  }

  last(name, position, x) {
    if (this.config.norm !== "pre") return x;
    const written = layerNorm(x, this.at(name));
    this.watch(name, position, { x, written });
    return written;
  }

  attend(name, position, q, K, V, off) {
    const found = attention(q, K, V, this.config.h, off);
    this.watch(name, position, { q, K, V, ...found });
    return found;
  }

  // Self-attention over what has been read, and over x itself: the new x, and keys and values with its own.
  lookBack(block, position, x, past, off) {
    let own;
    const written = this.around(`${block}.around_self_attention`, position, x, (row) => {
      const [q, k, v] = parts(linear(row, this.at(`${block}.self_attention.W_QKV`)), 3);
      own = { K: [...past.K, k], V: [...past.V, v] };
      const found = this.attend(`${block}.self_attention`, position, q, own.K, own.V, off);
      own.weights = found.weights;
      return linear(found.row, this.at(`${block}.self_attention.W_O`));
    });
    return { ...own, x: written };
  }

  feedForward(block, position, x) {
    return this.around(`${block}.around_feed_forward`, position, x, (row) => {
      const hidden = linear(row, this.at(`${block}.feed_forward.W_1`)).map((value) => Math.max(value, 0));
      this.watch(`${block}.feed_forward`, position, { hidden });
      return linear(hidden, this.at(`${block}.feed_forward.W_2`));
    });
  }

  // H_E, and the weights with which each source piece looks at each: [layer][head][row][column].
  encode(ids, off = nothingOff) {
    let rows = ids.map((id, position) => this.embed("source", id, position));
    const seen = [];
    for (let layer = 0; layer < this.config.encoder_layers; layer++) {
      const block = `encoder.${layer}`;
      const norm = this.at(`${block}.around_self_attention.layer_norm`);
      const entered = this.config.norm === "pre" ? rows.map((row) => layerNorm(row, norm)) : rows;
      const QKV = entered.map((row) => parts(linear(row, this.at(`${block}.self_attention.W_QKV`)), 3));
      const [K, V] = [QKV.map(([, k]) => k), QKV.map(([, , v]) => v)];
      const ofRows = QKV.map(([q], i) => this.attend(`${block}.self_attention`, i, q, K, V, off("encoder", layer)));
      const O = this.at(`${block}.self_attention.W_O`);
      rows = rows.map((row, i) =>
        this.feedForward(block, i, this.around(`${block}.around_self_attention`, i, row, () => linear(ofRows[i].row, O))));
      seen.push(byHead(ofRows.map(({ weights }) => weights)));
    }
    return { H_E: rows.map((row, i) => this.last("encoder_norm", i, row)), attention: seen };
  }

  // What the decoder knows before its first step: keys and values of the source, none of its own.
  // off(kind, layer)(head) says which heads are switched off; kinds are encoder, decoder and cross.
  start(ids, off = nothingOff) {
    const { H_E, attention } = this.encode(ids, off);
    const layers = Array.from({ length: this.config.decoder_layers }, (_, layer) => layer);
    const source = layers.map((layer) => {
      const KV = H_E.map((row) => parts(linear(row, this.at(`decoder.${layer}.cross_attention.W_KV`)), 2));
      return { K: KV.map(([k]) => k), V: KV.map(([, v]) => v) };
    });
    return { position: 0, source, past: layers.map(() => ({ K: [], V: [] })), off, attention };
  }

  // Reads one more target piece. A state is never changed: two hypotheses may continue the same one.
  step(id, state) {
    const { position } = state;
    let x = this.embed("target", id, position);
    const seen = { decoder: [], cross: [] };
    const past = state.past.map(({ K, V }, layer) => {
      const block = `decoder.${layer}`;
      const own = this.lookBack(block, position, x, { K, V }, state.off("decoder", layer));
      x = own.x;
      seen.decoder.push(own.weights);
      x = this.around(`${block}.around_cross_attention`, position, x, (row) => {
        const q = linear(row, this.at(`${block}.cross_attention.W_Q`));
        const { K: K_C, V: V_C } = state.source[layer];
        const found = this.attend(`${block}.cross_attention`, position, q, K_C, V_C, state.off("cross", layer));
        seen.cross.push(found.weights);
        return linear(found.row, this.at(`${block}.cross_attention.W_O`));
      });
      x = this.feedForward(block, position, x);
      return { K: own.K, V: own.V };
    });
    const logits = linear(this.last("decoder_norm", position, x), { weight: this.table.output });
    this.watch("output", position, { logits });
    return { logits, attention: seen, state: { ...state, position: position + 1, past } };
  }
}

const nothingOff = () => () => false;
const byHead = (rows) => rows[0].map((_, head) => rows.map((weights) => weights[head]));
