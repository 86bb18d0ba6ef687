// The translator's files: a page loads them from its folder, a notebook gets them from its kernel. Files
// of a page that is opened from a disk may be scripts, and nothing else: the model is one, and its
// weights are several, so that something can be said while they come.

import { element } from "./parts.js";
import { Pieces } from "./pieces.js";
import { EncoderDecoder, readWeights } from "./transformer.js";

const loads = (globalThis.mtcourseLoads ??= {}); // by folder; several copies of this file share a page

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error(`${address} could not be loaded`));
    document.head.append(element("script", { src: address, load: () => resolve(), error: failed }));
  });
}

async function filesOfFolder(folder, progress) {
  await loadScript(`${folder}/model.js`);
  const given = globalThis.mtcourseTranslator;
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
function filesOfKernel(model) {
  return new Promise((resolve, reject) => {
    const heard = ({ translator, failed }, [bytes] = []) => {
      if (!translator && !failed) return;
      model.off("msg:custom", heard);
      if (failed) reject(new Error(failed));
      else resolve({ ...translator, weights: readWeights(copyOf(bytes)) });
    };
    model.on("msg:custom", heard);
    model.send({ wants: "translator" });
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
  loads[folder] ??= filesOfFolder(folder, progress).catch((error) => { delete loads[folder]; throw error; });
  return assembled(await loads[folder], watch);
}

// The same for an explorer. Its host says where the files are: a page has their folder, a widget sends
// to its kernel, and a host that has neither says so.
export async function translatorOf(model, progress = () => {}) {
  if (model.translatorFolder) return loadTranslator(model.translatorFolder, { progress });
  if (model.send) return assembled(await filesOfKernel(model));
  throw new Error("This page does not say where the translator's files are");
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
