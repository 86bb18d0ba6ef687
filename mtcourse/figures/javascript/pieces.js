// From a sentence to the ids of its pieces and back, as SentencePiece's unigram model does it, with
// a piece for each byte. The names of mtcourse/text/tokenizer.py, and the same ids.

export const [PAD, UNK, BOS, EOS] = [0, 1, 2, 3];
const BYTES = 256;
const FIRST_BYTE = EOS + 1;
const FIRST_PIECE = FIRST_BYTE + BYTES;
const SPACE = "\u2581"; // how pieces write a space
const UNKNOWN_COSTS = 10; // more than the least probable piece, in nats

// What Python's str.split takes for a space.
const SPACES = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
const HALF_A_PAIR = /\p{Surrogate}/gu;

// Composed characters, one space between words and none at the ends.
export function normalise(sentence) {
  const characters = sentence.replace(HALF_A_PAIR, "\ufffd").replaceAll(SPACE, "_");
  return characters.normalize("NFC").split(SPACES).filter(Boolean).join(" ");
}

// A vocabulary: the text of each id, and its log-probability under the unigram model. Scores are
// float32 where SentencePiece's are, so that ties are broken alike.
export class Pieces {
  constructor({ pieces, scores }) {
    this.pieces = pieces;
    this.scores = Float32Array.from(scores);
    this.ids = new Map(pieces.slice(FIRST_PIECE).map((piece, i) => [piece, FIRST_PIECE + i]));
    this.longest = Math.max(...pieces.slice(FIRST_PIECE).map((piece) => [...piece].length));
    const lowest = this.scores.slice(FIRST_PIECE).reduce((a, b) => Math.min(a, b), Infinity);
    this.unknown = Math.fround(lowest - UNKNOWN_COSTS);
  }

  // The most probable division of a sentence into pieces, found from left to right: the best way to
  // a place is the best way to an earlier one and a piece from there (Viterbi).
  encode(sentence) {
    const text = normalise(sentence);
    if (text === "") return [];
    const characters = [...(SPACE + text.replaceAll(" ", SPACE))];
    const ways = [{ score: 0 }, ...characters.map(() => ({ score: -Infinity }))];
    const offer = (end, from, id, score) => {
      if (score > ways[end].score) ways[end] = { from, id, score: Math.fround(score) };
    };
    for (let from = 0; from < characters.length; from++) {
      const before = ways[from].score;
      let piece = "";
      for (let end = from + 1; end <= Math.min(from + this.longest, characters.length); end++) {
        piece += characters[end - 1];
        const id = this.ids.get(piece);
        if (id !== undefined) offer(end, from, id, before + this.scores[id]);
      }
      if (!this.ids.has(characters[from])) offer(from + 1, from, UNK, Math.fround(before + this.unknown));
    }
    const found = [];
    for (let end = characters.length; end > 0; end = ways[end].from) {
      const { from, id } = ways[end];
      found.unshift(...(id === UNK ? bytesOf(characters[from]) : [id]));
    }
    return found;
  }

  // The sentence of these ids; special ones are left out.
  decode(ids) {
    let text = "";
    let bytes = [];
    for (const id of [...ids, EOS]) {
      if (id >= FIRST_BYTE && id < FIRST_PIECE) {
        bytes.push(id - FIRST_BYTE);
        continue;
      }
      text += textOfBytes(bytes);
      bytes = [];
      if (id <= EOS) continue;
      const piece = this.pieces[id];
      text += (text === "" && piece.startsWith(SPACE) ? piece.slice(1) : piece).replaceAll(SPACE, " ");
    }
    return text;
  }
}

const bytesOf = (character) => [...new TextEncoder().encode(character)].map((byte) => FIRST_BYTE + byte);

// UTF-8, where each byte that belongs to no character becomes U+FFFD.
function textOfBytes(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((n) => isCharacter(bytes.slice(at, at + n)));
    text += length ? decodeStrictly(bytes.slice(at, at + length)) : "\ufffd";
    at += length ?? 1;
  }
  return text;
}

const decodeStrictly = (bytes) =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));

function isCharacter(bytes) {
  try {
    return [...decodeStrictly(bytes)].length === 1;
  } catch {
    return false;
  }
}
