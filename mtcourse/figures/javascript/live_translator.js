// A translator in the page: a sentence goes in, its translation appears piece by piece, and each piece
// shows where the translator looked and what else it might have written. Another candidate can be
// chosen, and the translation goes on from there.

import { loadTranslator, newsOfWords, problemOfText } from "./loaded_translator.js";
import { phrase, phraseParts } from "./messages.js";
import { element, newId } from "./parts.js";
import { EOS } from "./pieces.js";
import { argmax, largest, longestTranslation, writing } from "./search.js";

const CANDIDATES = 5;
const FAINTEST = 0.04; // a weight below it draws no line
const NAMED = 3; // of the pieces that were looked at
const WORTH_NAMING = 0.1;
const ADDRESS = "#translate=";

const NAMES = { "<bos>": phrase("start"), "<eos>": phrase("end"), "\u2581": phrase("space") };
const shown = (piece) => NAMES[piece] ?? piece.replace(/^\u2581/, "");
const begins = (piece) => piece.startsWith("\u2581") || piece === "<eos>";
const isByte = (piece) => /^<0x[0-9A-F]{2}>$/.test(piece);
// A piece that is no text looks unlike one.
const lookOf = (piece, name) => (piece in NAMES || isByte(piece) ? `${name} live-sign` : name);
const boxOf = (piece) => lookOf(piece, begins(piece) ? "live-piece" : "live-piece live-goes-on");
const percent = (share) => (share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`);
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));

export function liveTranslator(el) {
  const { folder, sentence, translation } = el.dataset;
  const reads = { lang: el.dataset.reads ?? "en", dir: el.dataset.readsDirection ?? "ltr" };
  const writes = { lang: el.dataset.language, dir: el.dataset.direction ?? "ltr" };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let translator = null;
  let loading = null;
  let turn = 0; // a newer request ends an older one
  let now = { ids: [], steps: [], chosen: 0, address: "" };

  const id = newId("sentence");
  const input = element("input", { id, type: "text", value: sentence, autocomplete: "off", spellcheck: "false", ...reads });
  const another = element("button", { type: "button", click: () => anotherSentence() }, phrase("Another sentence"));
  const form = element("form", { class: "live-form", submit: (event) => { event.preventDefault(); translate(input.value); } },
    element("label", { for: id }, el.dataset.asks), element("span", { class: "live-row" }, input, element("button", { type: "submit" }, phrase("Translate")), another));
  const status = element("p", { class: "explorer-muted", role: "status" });
  const changed = element("p", { class: "live-changed", hidden: true });
  const sources = element("p", { class: "live-source", ...reads });
  const targets = element("p", { class: "live-target", ...writes });
  const lines = element("svg", { class: "live-lines", "aria-hidden": "true" });
  const read = element("p", { class: "explorer-label" });
  const wrote = element("p", { class: "explorer-label" });
  const sides = element("div", { class: "live-sides", hidden: true }, element("div", {}, read, sources), element("div", {}, targets, wrote), lines);
  const looks = element("p", { class: "explorer-muted live-looks", hidden: true });
  const news = element("p", { class: "explorer-muted" });
  const inside = element("div", { class: "live-inside", hidden: true });
  const whole = element("p", { class: "live-translation", ...writes }, translation);
  // What a screen reader says, once, when the translation stands.
  const says = element("p", { class: "explorer-unseen", "aria-live": "polite", ...writes });
  const words = element("details", { class: "live-words", toggle: () => listWords() }, element("summary", {}, phrase("Words that it knows")));
  const copied = element("span", { class: "explorer-muted", role: "status" });
  const link = element("p", { class: "live-link", hidden: true }, element("button", { type: "button", click: () => copyLink() }, phrase("Copy a link to this")), " ", copied);
  el.replaceChildren(form, status, whole, changed, news, sides, looks, inside, link, words, says);

  async function isReady() {
    loading ??= loadTranslator(folder, { progress: (share) => { status.textContent = phrase("The translator is loading: {share}", { share: percent(share) }); } });
    try {
      translator ??= await loading;
    } catch (error) {
      loading = null; // so that it can be tried again
      status.textContent = phrase("{problem}. Try again, and look whether you are online.", { problem: error.message });
      return false;
    }
    status.textContent = "";
    return true;
  }

  async function listWords() {
    if (!words.open || words.children.length > 1) return;
    if (!(await isReady())) return;
    const known = [...translator.known];
    words.append(element("p", { class: "live-known", tabindex: "0", role: "group", "aria-label": phrase("Words that it knows") },
      ...phraseParts("{count} words: {words}.", { count: known.length.toLocaleString("en"), words: element("span", reads, known.join(", ")) })));
  }

  async function anotherSentence() {
    if (!(await isReady())) return;
    const { examples } = translator;
    input.value = examples[Math.floor(Math.random() * examples.length)];
    translate(input.value);
  }

  // The address has it, too, but a reader may not know, and a page in a frame shows none.
  async function copyLink() {
    const address = new URL(now.address, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      copied.textContent = phrase("Copied. It shows this sentence, and the pieces that you chose.");
    } catch {
      copied.textContent = phrase("Copy this link: {address}", { address }); // a browser may refuse
    }
  }

  // begin: ids that the translation is to begin with.
  async function translate(asks, begin = []) {
    const mine = (turn += 1);
    const text = asks.trim();
    const focused = el.contains(document.activeElement);
    if (!(await isReady()) || mine !== turn) return;
    const { model, source, target, config } = translator;
    const idsOf = (sentence) => [...source.encode(sentence), EOS];
    const problem = problemOfText(text, (sentence) => idsOf(sentence).length, config.max_length);
    input.setAttribute("aria-invalid", String(problem !== ""));
    if (problem) {
      status.textContent = problem;
      return;
    }
    const ids = idsOf(text);
    const known = begin.every((piece) => piece < target.pieces.length);
    if (!known) status.textContent = phrase("The link is of another translator: this one writes its own translation.");
    const forced = known ? begin : [];
    now = { text, ids, steps: [], chosen: 0, address: addressOf(text, forced) };
    try {
      history.replaceState(null, "", now.address);
    } catch {
      // A browser may refuse many changes one after the other: the next one counts.
    }
    el.style.minHeight = `${el.offsetHeight}px`; // what stands below stays where it is
    showSource(text);
    sides.hidden = false;
    inside.hidden = true;
    for (const part of [looks, changed, link]) part.hidden = true;
    targets.replaceChildren();
    wrote.textContent = phrase("It writes");
    says.textContent = "";
    copied.textContent = "";
    const longest = longestTranslation(ids.length, config.max_length);
    for (const one of writing((piece, state) => model.step(piece, state), model.start(ids), longest, argmax, forced)) {
      now.steps.push(one);
      showPiece(now.steps.length - 1);
      whole.textContent = target.decode(now.steps.map((step) => step.id));
      if (still.matches) continue;
      draw(now.steps.length - 1);
      await nextFrame();
      if (mine !== turn) return;
    }
    stands(forced, focused);
  }

  // The translation is there: it is said, told to the page, and can be looked into.
  function stands(forced, focused) {
    const written = now.steps.map((step) => step.id);
    const pieces = counted(written.length);
    wrote.textContent = written.at(-1) === EOS
      ? phrase("It wrote {pieces}; press one to see what else it might have written", { pieces })
      : phrase("It wrote {pieces} and found no end, so it was stopped", { pieces });
    showChanges();
    says.textContent = whole.textContent;
    document.dispatchEvent(new CustomEvent("mtcourse:translation", { detail: { source: now.ids, target: written } }));
    link.hidden = false;
    choose(Math.min(forced.length ? forced.length - 1 : 0, written.length - 1));
    el.style.minHeight = "";
    // What had the focus may be gone.
    if (focused && !el.contains(document.activeElement)) targets.children[now.chosen].focus({ preventScroll: true });
  }

  const ownChoice = (one) => argmax(one.logProbabilities);
  const nameOf = (piece) => shown(translator.target.pieces[piece]);
  const counted = (count) => (count === 1 ? phrase("1 piece") : phrase("{count} pieces", { count: String(count) }));

  // Which of the pieces are the reader's, and the way back.
  function showChanges() {
    const places = now.steps.flatMap((one, place) => (one.id === ownChoice(one) ? [] : [place]));
    changed.hidden = places.length === 0;
    const pairs = places.flatMap((place, i) => [
      i ? ", " : "", ...phraseParts("{chosen} in place of {own}", {
        chosen: element("bdi", { class: "live-chosen", ...writes }, nameOf(now.steps[place].id)),
        own: element("bdi", writes, nameOf(ownChoice(now.steps[place]))),
      }),
    ]);
    const back = element("button", { type: "button", click: () => translate(now.text) }, phrase("Back to its own translation"));
    changed.replaceChildren(...phraseParts("You chose {pairs}. {back}", { pairs, back }));
    places.forEach((place) => targets.children[place].classList.add("live-yours"));
  }

  function showSource(text) {
    const pieces = now.ids.map((piece) => translator.source.pieces[piece]);
    read.textContent = phrase("It reads {pieces}, each a word or a part of one", { pieces: counted(pieces.length) });
    sources.replaceChildren(...pieces.map((piece) => element("span", { class: boxOf(piece) }, shown(piece))));
    news.replaceChildren(...newsOfWords(text, translator, reads));
    if (pieces.some(isByte)) news.append(phrase("It has no piece for some of these characters, and reads their bytes, such as {byte}.", { byte: pieces.find(isByte) }));
  }

  function showPiece(place) {
    const one = now.steps[place];
    const piece = translator.target.pieces[one.id];
    targets.append(element("button", {
      type: "button", class: boxOf(piece), "aria-pressed": "false",
      "aria-label": phrase("{piece}, {share}, looked at {words}", { piece: shown(piece), share: percent(Math.exp(one.logProbability)), words: lookedAt(one).join("") }), click: () => choose(place),
      pointerenter: () => draw(place), pointerleave: () => draw(now.chosen), focus: () => draw(place), blur: () => draw(now.chosen),
    }, shown(piece)));
  }

  function choose(place) {
    now.chosen = place;
    [...targets.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === place)));
    draw(place);
    showInside(place);
  }

  // --- where it looked --------------------------------------------------------------------------

  // The mean of the last layer's heads.
  const looked = (one) => {
    const heads = one.attention.cross.at(-1);
    return now.ids.map((_, n) => heads.reduce((sum, weights) => sum + weights[n], 0) / heads.length);
  };

  // The pieces that it looked at most, in words; with quoted() as nodes of the page.
  function lookedAt(one, quote = (name) => [`“${name}”`]) {
    const weights = looked(one);
    const most = largest(weights, NAMED).filter((n, rank) => rank === 0 || weights[n] >= WORTH_NAMING);
    return most.flatMap((n, i) => [i ? ", " : "", ...quote(shown(translator.source.pieces[now.ids[n]]), reads), ` (${percent(weights[n])})`]);
  }

  // In a sentence that runs to the right, a word may run to the left.
  const quoted = (name, language) => ["“", element("bdi", language, name), "”"];

  function draw(place) {
    const frame = sides.getBoundingClientRect();
    const button = targets.children[place];
    if (!button) return;
    const to = button.getBoundingClientRect();
    lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    lines.replaceChildren(...looked(now.steps[place]).flatMap((weight, n) => {
      if (weight < FAINTEST) return [];
      const from = sources.children[n].getBoundingClientRect();
      const [x1, y1] = [from.left + from.width / 2 - frame.left, from.bottom - frame.top];
      const [x2, y2] = [to.left + to.width / 2 - frame.left, to.top - frame.top];
      const middle = (y1 + y2) / 2;
      return [element("path", {
        d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`, "stroke-width": 1 + 7 * weight, "stroke-opacity": 0.25 + 0.75 * weight,
      })];
    }));
    [...sources.children].forEach((span, n) => span.style.setProperty("--weight", looked(now.steps[place])[n].toFixed(3)));
    const { id: piece } = now.steps[place];
    looks.hidden = false;
    looks.replaceChildren(...phraseParts("To write {piece} it looked at {words}: the mean of the last layer’s heads.", {
      piece: quoted(nameOf(piece), writes), words: lookedAt(now.steps[place], quoted),
    }));
  }

  // --- what it thought --------------------------------------------------------------------------

  function showInside(place) {
    const one = now.steps[place];
    const before = now.steps.slice(0, place).map((step) => step.id);
    const written = translator.target.decode(before);
    const shares = largest(one.logProbabilities, CANDIDATES).map((piece) => [piece, Math.exp(one.logProbabilities[piece])]);
    const candidates = shares.map(([piece, share]) => {
      const name = shown(translator.target.pieces[piece]);
      const bar = element("span", { class: "explorer-bar", "aria-hidden": "true" });
      bar.style.setProperty("--weight", share.toFixed(3));
      const press = () => translate(now.text, [...before, piece]);
      const parts = { piece: name, share: percent(share) };
      const label = piece === one.id ? phrase("{piece} {share}, written", parts) : phrase("{piece} {share}: go on with it", parts);
      return element("li", {}, element("button", { type: "button", "aria-label": label, disabled: piece === one.id, click: press },
        element("span", { class: lookOf(translator.target.pieces[piece], "live-name"), ...writes }, name), bar, " ", element("span", {}, percent(share))));
    });
    const title = written
      ? phraseParts("After {written} it might have written, with these probabilities", { written: quoted(written, writes) })
      : phraseParts("It might have begun with one of these, with these probabilities");
    const where = element("p", { class: "explorer-label", id: newId("heads") }, ...phraseParts("Where each head of cross-attention looked to write {piece}", { piece: quoted(nameOf(one.id), writes) }));
    inside.replaceChildren(
      element("div", {}, element("p", { class: "explorer-label" }, ...title), element("ol", { class: "live-candidates" }, ...candidates),
        element("p", { class: "explorer-muted" }, phrase("Choose another one, and the translation goes on from there."))),
      element("div", {}, where, element("div", { class: "explorer-scroll", tabindex: "0", role: "group", "aria-label": phrase("Heads") }, headsTable(one, where.id)),
        element("p", { class: "explorer-muted" }, phrase("Head 2.1 is the first head of layer 2."))),
    );
    inside.hidden = false;
  }

  function headsTable(one, named) {
    const names = now.ids.map((piece) => shown(translator.source.pieces[piece]));
    const rows = one.attention.cross.flatMap((layer, l) => layer.map((weights, h) => {
      const cells = names.map((_, n) => {
        const cell = element("td", {}, element("span", { class: "explorer-unseen" }, percent(weights[n])));
        cell.style.setProperty("--weight", weights[n].toFixed(3));
        return cell;
      });
      return element("tr", {}, element("th", { scope: "row" }, `${l + 1}.${h + 1}`), ...cells);
    }));
    const head = element("tr", {}, element("th", { scope: "col" }, phrase("head")), ...names.map((name) => element("th", { scope: "col" }, element("span", {}, name))));
    return element("table", { class: "explorer-matrix explorer-heat", "aria-labelledby": named },
      element("thead", {}, head), element("tbody", {}, ...rows));
  }

  new ResizeObserver(() => { if (now.steps.length && !sides.hidden) draw(now.chosen); }).observe(sides);
  const follow = () => {
    const asked = ofAddress(location.hash);
    if (!asked) return;
    input.value = asked.text;
    translate(asked.text, asked.begin);
  };
  follow();
  addEventListener("hashchange", follow);
  return { translate };
}

// The sentence, and what its translation begins with, so that a link shows the same again.
const addressOf = (text, begin) => `${ADDRESS}${encodeURIComponent(text)}${begin.length ? `&begin=${begin.join(",")}` : ""}`;

function ofAddress(hash) {
  if (!hash.startsWith(ADDRESS)) return null;
  const [text, begin = ""] = hash.slice(ADDRESS.length).split("&begin=");
  try {
    return { text: decodeURIComponent(text), begin: begin.split(",").filter((one) => /^\d+$/.test(one)).map(Number) };
  } catch {
    return null; // an address that somebody has cut
  }
}
