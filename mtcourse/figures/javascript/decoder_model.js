// The decoder-only model: one stack of blocks that reads a text from left to right, with the names of
// mtcourse/models/decoder_model.py. Its state is what the translator's decoder has, without a source.

import { EncoderDecoder, layerNorm, linear } from "./transformer.js";

const noneOff = () => false;

export class DecoderModel extends EncoderDecoder {
  start() {
    return { position: 0, past: Array.from({ length: this.config.layers }, () => ({ K: [], V: [] })) };
  }

  // Reads one more piece. A state is never changed: two texts may go on from the same one.
  step(id, { position, past }) {
    const embedded = this.embed("target", id, position);
    const pre = this.config.norm === "pre";
    let x = pre ? embedded : layerNorm(embedded, this.at("embedding_norm"));
    const grown = past.map((before, layer) => {
      const { K, V, x: looked } = this.lookBack(`blocks.${layer}`, position, x, before, noneOff);
      x = this.feedForward(`blocks.${layer}`, position, looked);
      return { K, V };
    });
    const logits = linear(this.last("final_norm", position, x), { weight: this.table.output });
    return { logits, state: { position: position + 1, past: grown } };
  }
}
