// A sentence through the translator, with all that its attentions computed on the way.

import { EOS } from "./pieces.js";
import { argmax, longestTranslation, writing } from "./search.js";
import { EncoderDecoder } from "./transformer.js";

// A piece as a word; one that goes on with the word before it begins with a dot.
export const shownPiece = (piece) =>
  /^[\p{L}\p{N}]/u.test(piece) ? `·${piece}` : piece.replace(/^\u2581(?=.)/su, "");

const KINDS_OF_ATTENTION = {
  encoder: (layer) => `encoder.${layer}.self_attention`,
  decoder: (layer) => `decoder.${layer}.self_attention`,
  cross: (layer) => `decoder.${layer}.cross_attention`,
};

// Pieces of the source with <eos>, those that the decoder read and those that it wrote; and for each
// kind of attention its layers: {q, K, V, weights}, rows of all heads side by side, and weights by
// head, [head][row][column], where a later column of the decoder is 0. off: as EncoderDecoder's.
export function examined(translator, text, off = () => () => false) {
  const { config, weights, source, target } = translator;
  const seen = {};
  const model = new EncoderDecoder(config, weights, (name, position, values) => {
    if (!values.weights) return;
    const of = (seen[name] ??= { q: [], rows: [] });
    of.q[position] = values.q;
    of.rows[position] = values.weights;
    [of.K, of.V] = [values.K, values.V];
  });
  const ids = [...source.encode(text), EOS];
  const step = (id, state) => model.step(id, state);
  const longest = longestTranslation(ids.length, config.max_length);
  const written = [...writing(step, model.start(ids, off), longest, argmax)].map(({ id }) => id);
  const write = written.map((id) => target.pieces[id]);
  const layersOf = (kind) => {
    const count = kind === "encoder" ? config.encoder_layers : config.decoder_layers;
    return Array.from({ length: count }, (_, layer) => layerOf(seen[KINDS_OF_ATTENTION[kind](layer)], config.h));
  };
  return {
    text,
    translation: target.decode(written),
    sourcePieces: ids.map((id) => source.pieces[id]),
    readPieces: ["<bos>", ...write.slice(0, -1)],
    writtenPieces: write,
    encoder: layersOf("encoder"),
    decoder: layersOf("decoder"),
    cross: layersOf("cross"),
  };
}

const layerOf = ({ q, K, V, rows }, h) => ({
  q, K, V,
  weights: Array.from({ length: h }, (_, head) =>
    rows.map((row) => K.map((_, n) => row[head][n] ?? 0))),
});

// The part of a row that belongs to one of h heads.
export const sliceOf = (row, head, h) => row.subarray((head * row.length) / h, ((head + 1) * row.length) / h);
export const dotProduct = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);
