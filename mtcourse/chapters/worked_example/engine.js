// The model of document B as an engine of small matrices (chapter 11): the forward pass, the gradient
// of the loss by every matrix, and Adam's first step, with the names of forward.py, backward.py and
// adam.py. A matrix is a list of rows; gains and biases are lists of numbers, the loss is a number.

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;
const zipped = (a, b, of) => a.map((x, i) => (Array.isArray(x) ? zipped(x, b[i], of) : of(x, b[i])));
const scaled = (A, factor) => A.map((row) => row.map((x) => x * factor));
const columns = (A, from, to) => A.map((row) => row.slice(from, to));
const beside = (parts) => parts[0].map((_, i) => parts.flatMap((part) => part[i]));
const overRows = (A) => A[0].map((_, j) => sum(A.map((row) => row[j])));

export const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));
export const product = (A, B) => A.map((row) => B[0].map((_, j) => sum(row.map((x, k) => x * B[k][j]))));
export const plus = (A, B) => zipped(A, B, (a, b) => a + b);
const times = (A, B) => zipped(A, B, (a, b) => a * b);
const withBias = (A, b) => A.map((row) => plus(row, b));

// A row without any key that may be seen gets zeros.
export function softmax(scores) {
  const highest = Math.max(...scores);
  if (highest === -Infinity) return scores.map(() => 0);
  const shares = scores.map((score) => Math.exp(score - highest));
  const whole = sum(shares);
  return shares.map((share) => share / whole);
}

// PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i + 1) = cos of the same.
export function positionTable(length, d) {
  const angle = (pos, j) => pos * 10000 ** (-(j - (j % 2)) / d);
  return Array.from({ length }, (_, pos) =>
    Array.from({ length: d }, (_, j) => (j % 2 ? Math.cos : Math.sin)(angle(pos, j))));
}

// --- forward ------------------------------------------------------------------------------------

// given: heads, epsilon, source (ids), read (ids), labels (ids), mask (true where a source token is
// real), and weights by name.
export function forwardPass(given) {
  const { weights: w, source, read, labels, mask } = given;
  const s = {};
  s.X_embedded = source.map((id) => [...w.W_E_X[id]]);
  s.PE = positionTable(source.length, w.W_E_X[0].length);
  s.X_input = plus(s.X_embedded, s.PE);
  attention("E", given, s, s.X_input, s.X_input, (i, j) => mask[j]);
  s.X_1 = addAndNorm("1_E", given, s, s.X_input, s.output_E);
  network("E", w, s, s.X_1);
  s.X_encoder = addAndNorm("2_E", given, s, s.X_1, s.network_E);

  s.Y_embedded = read.map((id) => [...w.W_E_Y[id]]);
  s.Y_input = plus(s.Y_embedded, positionTable(read.length, w.W_E_Y[0].length));
  attention("D", given, s, s.Y_input, s.Y_input, (i, j) => j <= i);
  s.Y_1 = addAndNorm("1_D", given, s, s.Y_input, s.output_D);
  attention("C", given, s, s.Y_1, s.X_encoder, (i, j) => mask[j]);
  s.Y_2 = addAndNorm("2_D", given, s, s.Y_1, s.output_C);
  network("D", w, s, s.Y_2);
  s.Y_decoder = addAndNorm("3_D", given, s, s.Y_2, s.network_D);

  s.logits = product(s.Y_decoder, w.W_output);
  s.probabilities = s.logits.map(softmax);
  s.losses = labels.map((label, j) => -Math.log(s.probabilities[j][label]));
  s.loss = mean(s.losses);
  return s;
}

function attention(place, { weights: w, heads }, s, X, Z, allowed) {
  const [Q, K, V] = [[X, "Q"], [Z, "K"], [Z, "V"]].map(([rows, kind]) => {
    s[`${kind}_${place}`] = product(rows, w[`W_${kind}_${place}`]);
    return s[`${kind}_${place}`];
  });
  const width = Q[0].length / heads;
  const outputs = Array.from({ length: heads }, (_, head) => {
    const name = `${head + 1}_${place}`;
    const own = (A) => columns(A, head * width, (head + 1) * width);
    s[`scores_${name}`] = scaled(product(own(Q), transposed(own(K))), 1 / Math.sqrt(width));
    s[`weights_${name}`] = s[`scores_${name}`].map((row, i) =>
      softmax(row.map((score, j) => (allowed(i, j) ? score : -Infinity))));
    s[`head_${name}`] = product(s[`weights_${name}`], own(V));
    return s[`head_${name}`];
  });
  s[`heads_${place}`] = beside(outputs);
  s[`output_${place}`] = product(s[`heads_${place}`], w[`W_O_${place}`]);
}

function network(place, w, s, X) {
  s[`before_${place}`] = withBias(product(X, w[`W_1_${place}`]), w[`b_1_${place}`]);
  s[`hidden_${place}`] = s[`before_${place}`].map((row) => row.map((x) => Math.max(x, 0)));
  s[`network_${place}`] = withBias(product(s[`hidden_${place}`], w[`W_2_${place}`]), w[`b_2_${place}`]);
}

function addAndNorm(name, { weights: w, epsilon }, s, X, F) {
  s[`sum_${name}`] = plus(X, F);
  const centred = s[`sum_${name}`].map((row) => row.map((x) => x - mean(row)));
  s[`sigma_${name}`] = centred.map((row) => [Math.sqrt(mean(row.map((x) => x * x)) + epsilon)]);
  s[`unit_${name}`] = centred.map((row, i) => row.map((x) => x / s[`sigma_${name}`][i][0]));
  return s[`unit_${name}`].map((row) => plus(times(row, w[`gamma_${name}`]), w[`beta_${name}`]));
}

// --- backward -----------------------------------------------------------------------------------

// The gradient of the loss by each matrix, in its shape and by its name, from the last to the first.
export function backwardPass(given, s) {
  const { weights: w, source, read, labels } = given;
  const bar = {};
  const arrive = (name, gradient) => { bar[name] = bar[name] ? plus(bar[name], gradient) : gradient; };

  bar.logits = s.probabilities.map((row, j) =>
    row.map((p, k) => (p - (k === labels[j] ? 1 : 0)) / labels.length));
  bar.W_output = product(transposed(s.Y_decoder), bar.logits);
  bar.Y_decoder = product(bar.logits, transposed(w.W_output));

  throughNorm("3_D", w, s, bar, arrive, "Y_decoder", "Y_2", "network_D");
  throughNetwork("D", w, s, bar, arrive, "Y_2");
  throughNorm("2_D", w, s, bar, arrive, "Y_2", "Y_1", "output_C");
  throughAttention("C", given, s, bar, arrive, "Y_1", "X_encoder");
  throughNorm("1_D", w, s, bar, arrive, "Y_1", "Y_input", "output_D");
  throughAttention("D", given, s, bar, arrive, "Y_input", "Y_input");
  bar.Y_embedded = bar.Y_input;
  bar.W_E_Y = intoTable(w.W_E_Y, read, bar.Y_embedded);

  throughNorm("2_E", w, s, bar, arrive, "X_encoder", "X_1", "network_E");
  throughNetwork("E", w, s, bar, arrive, "X_1");
  throughNorm("1_E", w, s, bar, arrive, "X_1", "X_input", "output_E");
  throughAttention("E", given, s, bar, arrive, "X_input", "X_input");
  bar.X_embedded = bar.X_input;
  bar.W_E_X = intoTable(w.W_E_X, source, bar.X_embedded);
  return bar;
}

// A token's row in the table gets the sum of the gradients of all its positions.
const intoTable = (table, ids, rows) => table.map((row, id) =>
  row.map((_, k) => sum(rows.map((gradient, i) => (ids[i] === id ? gradient[k] : 0)))));

function throughNorm(name, w, s, bar, arrive, Y, X, F) {
  const unit = s[`unit_${name}`];
  bar[`gamma_${name}`] = overRows(times(bar[Y], unit));
  bar[`beta_${name}`] = overRows(bar[Y]);
  bar[`unit_${name}`] = bar[Y].map((row) => times(row, w[`gamma_${name}`]));
  bar[`sum_${name}`] = bar[`unit_${name}`].map((row, i) => {
    const [ofMu, ofSigma] = [mean(row), mean(times(row, unit[i]))];
    return row.map((g, k) => (g - ofMu - unit[i][k] * ofSigma) / s[`sigma_${name}`][i][0]);
  });
  arrive(X, bar[`sum_${name}`]);
  bar[F] = bar[`sum_${name}`];
}

function throughNetwork(place, w, s, bar, arrive, X) {
  const after = bar[`network_${place}`];
  bar[`W_2_${place}`] = product(transposed(s[`hidden_${place}`]), after);
  bar[`b_2_${place}`] = overRows(after);
  bar[`hidden_${place}`] = product(after, transposed(w[`W_2_${place}`]));
  const before = zipped(bar[`hidden_${place}`], s[`before_${place}`], (g, x) => (x > 0 ? g : 0));
  bar[`before_${place}`] = before;
  bar[`W_1_${place}`] = product(transposed(s[X]), before);
  bar[`b_1_${place}`] = overRows(before);
  arrive(X, product(before, transposed(w[`W_1_${place}`])));
}

function throughAttention(place, { weights: w, heads }, s, bar, arrive, X, Z) {
  bar[`W_O_${place}`] = product(transposed(s[`heads_${place}`]), bar[`output_${place}`]);
  bar[`heads_${place}`] = product(bar[`output_${place}`], transposed(w[`W_O_${place}`]));
  const ofHeads = Array.from({ length: heads }, (_, head) => throughHead(place, head, heads, s, bar));
  [["Q", X], ["K", Z], ["V", Z]].forEach(([kind, rows], part) => {
    bar[`${kind}_${place}`] = beside(ofHeads.map((of) => of[part]));
    bar[`W_${kind}_${place}`] = product(transposed(s[rows]), bar[`${kind}_${place}`]);
    arrive(rows, product(bar[`${kind}_${place}`], transposed(w[`W_${kind}_${place}`])));
  });
}

function throughHead(place, head, heads, s, bar) {
  const width = s[`Q_${place}`][0].length / heads;
  const own = (A) => columns(A, head * width, (head + 1) * width);
  const name = `${head + 1}_${place}`;
  const weights = s[`weights_${name}`];
  bar[`head_${name}`] = own(bar[`heads_${place}`]);
  bar[`weights_${name}`] = product(bar[`head_${name}`], transposed(own(s[`V_${place}`])));
  bar[`scores_${name}`] = weights.map((row, i) => {
    const gradient = bar[`weights_${name}`][i];
    const common = sum(times(row, gradient));
    return row.map((p, j) => p * (gradient[j] - common));
  });
  const by = scaled(bar[`scores_${name}`], 1 / Math.sqrt(width));
  return [
    product(by, own(s[`K_${place}`])),
    product(transposed(by), own(s[`Q_${place}`])),
    product(transposed(weights), bar[`head_${name}`]),
  ];
}

// --- Adam ---------------------------------------------------------------------------------------

// The weights after the first step of Adam, for which m and v are 0 before it.
export function firstAdamStep(weights, bar, { learning_rate, beta_1, beta_2, epsilon }) {
  const stepped = (weight, g) => {
    const [m, v] = [(1 - beta_1) * g, (1 - beta_2) * g * g];
    const [mHat, vHat] = [m / (1 - beta_1), v / (1 - beta_2)];
    return weight - (learning_rate * mHat) / (Math.sqrt(vHat) + epsilon);
  };
  return Object.fromEntries(Object.entries(weights).map(([name, of]) =>
    [name, zipped(of, bar[name], stepped)]));
}
