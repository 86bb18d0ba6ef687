// What a step of generation costs (chapter 14): multiplications with and without a cache, and bytes.

export const SIZE = 4; // bytes of a number in float32

// Each step: m new positions, t in all. The first reads the prompt in one pass, if it is a prefill.
export function stepsOf({ inputs, prompt }, prefill) {
  const first = prefill ? prompt : 1;
  return Array.from({ length: inputs.length - first + 1 }, (_, k) => ({ m: k === 0 ? first : 1, t: first + k }));
}

// Multiplications of a step that computes some rows of t: L (rows (4 d² + 2 d d_ff) + 2 rows t d) + d V.
export const productsOf = ({ L, d, d_ff, V }, rows, t) =>
  L * (rows * (4 * d * d + 2 * d * d_ff) + 2 * rows * t * d) + d * V;

// 2 L h d_k T B s, for T = t positions of B sequences.
export const bytesOf = ({ L, h, d_k }, t, B = 1) => 2 * L * h * d_k * t * B * SIZE;

// Of each step the products and the sum so far, with and without a cache, and what the cache holds.
export function costsOf(sizes, steps) {
  const sums = { cached: 0, plain: 0 };
  return steps.map(({ m, t }) => {
    const now = { cached: productsOf(sizes, m, t), plain: productsOf(sizes, t, t) };
    sums.cached += now.cached;
    sums.plain += now.plain;
    return { m, t, now, sum: { ...sums }, bytes: bytesOf(sizes, t) };
  });
}

// The same for T positions from the first on, one by one.
export const costOfLength = (sizes, T) =>
  costsOf(sizes, stepsOf({ inputs: { length: T }, prompt: 1 }, false)).at(-1);

export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
export const millions = (count) =>
  `${count < 99.95e6 ? (count / 1e6).toFixed(1) : grouped(Math.round(count / 1e6))} million`;

// The sizes that the formulas name.
export const sizesSay = ({ L, h, d_k, d, d_ff, V }) =>
  `L = ${L} blocks, h = ${h}, d_k = ${d_k}, d = d_model = ${d}, d_ff = ${d_ff}, V = ${grouped(V)}; `
  + `B = 1 sequence, s = ${SIZE} bytes a number.`;

// The page's formulas for one step: [name, symbols, numbers].
export function formulasOf(sizes, { m, t }, cached) {
  const { L, h, d_k, d, d_ff, V } = sizes;
  const rows = 4 * d * d + 2 * d * d_ff;
  const single = cached && m === 1;
  const numbers = single
    ? `${L} · (${grouped(rows)} + ${grouped(2 * t * d)}) + ${grouped(d * V)}`
    : `${L} · (${t} · ${grouped(rows)} + ${grouped(2 * t * t * d)}) + ${grouped(d * V)}`;
  const products = [
    single ? `C_${t}` : `P_${t}`,
    single ? "L (4 d² + 2 d d_ff + 2 t d) + d V" : "L (t (4 d² + 2 d d_ff) + 2 t² d) + d V",
    `${numbers} = ${grouped(productsOf(sizes, single ? 1 : t, t))}`,
  ];
  const factors = `2 · ${L} · ${h} · ${d_k} · ${t} · 1 · ${SIZE}`;
  const held = ["bytes", "2 L h d_k T B s", `${factors} = ${grouped(bytesOf(sizes, t))}`];
  return cached ? [products, held] : [products];
}
