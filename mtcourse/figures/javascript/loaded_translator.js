// The translator's files, as a page loads them: once for all that asks on this page. Files of a page
// that is opened from a disk may be scripts, and nothing else: the model is one, and its weights are
// several, so that something can be said while they come.

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

async function loadFiles(folder, progress) {
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

// {config, known, examples, source, target, model}. progress(share) hears how much has come; watch is
// the model's. What could not be loaded is tried again at the next call.
export async function loadTranslator(folder, { progress = () => {}, watch } = {}) {
  loads[folder] ??= loadFiles(folder, progress).catch((error) => { delete loads[folder]; throw error; });
  const given = await loads[folder];
  const source = new Pieces(given.source);
  const target = given.target ? new Pieces(given.target) : source;
  const model = new EncoderDecoder(given.config, given.weights, watch);
  return { ...given, source, target, model, known: new Set(given.known) };
}
