// The translator's files, and those of a language model: a page loads them from a folder, a notebook gets
// them from its kernel. Files of a page that is opened from a disk may be scripts, and nothing else: the
// model is one, and its weights are several, so that something can be said while they come.

import { DecoderModel } from "./decoder_model.js";
import { phrase, phraseParts } from "./messages.js";
import { element } from "./parts.js";
import { Pieces } from "./pieces.js";
import { EncoderDecoder, readWeights } from "./transformer.js";

const loads = (globalThis.mtcourseLoads ??= {}); // by folder; several copies of this file share a page

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error(phrase("{address} could not be loaded", { address })));
    document.head.append(element("script", { src: address, load: () => resolve(), error: failed }));
  });
}

// global: where the scripts put what they hold.
async function filesOfFolder(folder, progress, global) {
  await loadScript(`${folder}/model.js`);
  const given = globalThis[global];
  const parts = [];
  for (let number = 0; number < given.parts; number++) {
    await loadScript(`${folder}/weights-${number}.js`);
    parts.push(Uint8Array.from(atob(given.weights[number]), (character) => character.charCodeAt(0)));
    progress((number + 1) / given.parts);
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => { bytes.set(part, at); return at + part.length; }, 0);
  delete given.weights;
  return { ...given, weights: readWeights(bytes.buffer) };
}

// A widget asks the kernel, which answers with the model and the bytes of its weights.
function filesOfKernel(model, wants) {
  return new Promise((resolve, reject) => {
    const heard = ({ [wants]: found, failed, wanted }, [bytes] = []) => {
      const isOther = wanted && wanted !== wants;
      if (!found && (!failed || isOther)) return;
      model.off("msg:custom", heard);
      if (failed) reject(new Error(failed));
      else resolve({ ...found, weights: readWeights(copyOf(bytes)) });
    };
    model.on("msg:custom", heard);
    model.send({ wants });
  });
}

const copyOf = ({ buffer, byteOffset, byteLength }) => buffer.slice(byteOffset, byteOffset + byteLength);

function assembled(given, watch) {
  const source = new Pieces(given.source);
  const target = given.target ? new Pieces(given.target) : source;
  const model = new EncoderDecoder(given.config, given.weights, watch);
  return { ...given, source, target, model, known: new Set(given.known) };
}

// {config, weights, known, examples, source, target, model}. progress(share) hears how much has come;
// watch is the model's. What could not be loaded is tried again at the next call.
export async function loadTranslator(folder, { progress = () => {}, watch } = {}) {
  return assembled(await loadedOnce(folder, progress, "mtcourseTranslator"), watch);
}

function loadedOnce(folder, progress, global) {
  loads[folder] ??= filesOfFolder(folder, progress, global).catch((error) => { delete loads[folder]; throw error; });
  return loads[folder];
}

// The same for an explorer. Its host says where the files are: a page has their folder, a widget sends
// to its kernel, and a host that has neither says so.
export async function translatorOf(model, progress = () => {}) {
  if (model.translatorFolder) return loadTranslator(model.translatorFolder, { progress });
  if (model.send) return assembled(await filesOfKernel(model, "translator"));
  throw new Error("This page does not say where the translator's files are");
}

// The same for an explorer's language model: {config, known, target, model}; its source is its target.
export async function languageModelOf(model, progress = () => {}) {
  const folder = model.languageModelFolder;
  if (folder) return assembledText(await loadedOnce(folder, progress, "mtcourseLanguageModel"));
  if (model.send) return assembledText(await filesOfKernel(model, "language model"));
  throw new Error("This page does not say where the language model's files are");
}

function assembledText(given) {
  const pieces = new Pieces(given.source);
  return { ...given, source: pieces, target: pieces, model: new DecoderModel(given.config, given.weights), known: new Set(given.known) };
}

// --- what a reader writes -----------------------------------------------------------------------

const MOST_CHARACTERS = 2000; // of a text that is cut into pieces at all

// What is wrong with a text, for its reader: "" if nothing is. most: how many pieces the model reads;
// count(text): how many there are. who reads it and what it is are named.
export function problemOfText(text, count, most, { who = phrase("the translator"), what = phrase("sentence") } = {}) {
  if (!text) return phrase("Write a {what} first.", { what });
  const isLong = text.length > MOST_CHARACTERS;
  const pieces = isLong ? Infinity : count(text);
  if (pieces <= most) return "";
  const parts = { who, what, most: String(most), pieces: String(pieces) };
  return isLong
    ? phrase("This text is too long: {who} reads at most {most} pieces. Take a shorter {what}.", parts)
    : phrase("This takes {pieces} pieces: {who} reads at most {most} pieces. Take a shorter {what}.", parts);
}

// Which words are new to a model, for its reader: nodes, or none. attributes: language and direction.
export function newsOfWords(sentence, { source, known }, attributes, who = phrase("the translator")) {
  const marked = (words) => words.flatMap((word, i) => [i ? ", " : "", element("mark", attributes, word)]);
  const unknown = newWords(sentence, known);
  const spelt = capitalWords(sentence, known, source);
  return [
    ...(unknown.length ? phraseParts("New to {who}: {words}. It guesses at a new word from its letters. ", { who, words: marked(unknown) }) : []),
    ...(spelt.length ? phraseParts("Known in small letters, but new in capitals: {words}. ", { words: marked(spelt) }) : []),
  ];
}

// A letter that is a word itself, in scripts that write no spaces; else letters and their marks, with
// apostrophes and hyphens inside. As mtcourse/text/known_words.py divides.
const SPACELESS_SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"].map((script) => `\\p{Script=${script}}`).join("");
const LETTER_RUN = `(?![${SPACELESS_SCRIPTS}])\\p{L}(?:\\p{M}|(?![${SPACELESS_SCRIPTS}])\\p{L})*`;
const LEARNT_WORD = new RegExp(`(?=[${SPACELESS_SCRIPTS}])\\p{L}\\p{M}*|${LETTER_RUN}(?:['’-]${LETTER_RUN})*`, "gu");

// Words of a sentence that are in none of those that a translator has learnt from.
export function newWords(sentence, known) {
  const words = sentence.normalize("NFC").match(LEARNT_WORD) ?? [];
  return [...new Set(words.filter((word) => !known.has(word.toLowerCase())))];
}

const CAPITAL_INSIDE = /^.+\p{Lu}/u;

// Words that are known in small letters only: in capitals they take more pieces.
export function capitalWords(sentence, known, pieces) {
  const words = sentence.normalize("NFC").match(LEARNT_WORD) ?? [];
  const isSpelt = (word) => known.has(word.toLowerCase()) && CAPITAL_INSIDE.test(word)
    && pieces.encode(word).length > pieces.encode(word.toLowerCase()).length;
  return [...new Set(words.filter(isSpelt))];
}
