// The reader's own sentence in an explorer: a text box, and beside it the sentences that came with the
// page. Those are shown from stored numbers. Anything else is computed by the translator, which is
// loaded once, when it is first wanted.

import { newsOfWords, translatorOf } from "./loaded_translator.js";
import { phrase } from "./messages.js";
import { element, KEEPS_KEYS, newId, select } from "./parts.js";
import { EOS } from "./pieces.js";

const MOST_PIECES = 40; // what a map of words has room for
const TOGETHER = ["own", "sentence", "off"]; // settings that choose what is computed
const OWN = "own";
const NOTHING = phrase("Write a sentence first.");
const short = (text) => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

function problemOf({ source, config }, text) {
  const most = Math.min(MOST_PIECES, config.max_length);
  const count = [...source.encode(text), EOS].length;
  if (count === 1) return NOTHING;
  return count > most ? phrase("This sentence takes {count} pieces, and there is room for {most}: take a shorter one.", { count: String(count), most: String(most) }) : "";
}

// texts: the sentences that came with the page; lines: how the list names them. stored(settings): what
// is shown of one of these. wants(settings): whether the translator is needed for it. compute(translator,
// text, settings): what is shown then; it may throw an Error whose message is for the reader. show(shown): hears of it, at first and after each change.
export function ownSentence({
  model, settings, texts, lines = texts, press = phrase("Show"), stored, wants = ({ own }) => own !== "", compute, show,
}) {
  let translator = null;
  let loading = null;
  let turn = 0; // a newer request ends an older one
  let stands = null; // what is shown, and the settings that it has been computed for
  let said = null; // the sentence of what is shown

  const id = newId("own");
  const input = element("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", lang: "en", ...KEEPS_KEYS, input: () => load(),
    keydown: (event) => { if (event.key === "Enter") submit(event); }, // JupyterLab keeps it from the form
  });
  const status = element("p", { class: "explorer-muted", role: "status" });
  const told = { problem: "", loading: "" };
  const tell = (news) => { status.textContent = Object.assign(told, news).problem || told.loading; };
  const news = element("p", { class: "explorer-muted" });
  const options = () => lines.map((line, k) => [String(k), line]);
  const list = select({
    label: phrase("or one of these"), options: options(), value: String(settings.sentence),
    change: (value) => (value === OWN ? ask({ own: settings.own }) : ask({ own: "", sentence: Number(value) })),
  });
  const submit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const known = texts.indexOf(text);
    if (text === "") tell({ problem: NOTHING });
    else ask(known < 0 ? { own: text } : { own: "", sentence: known });
  };
  const form = element(
    "form", { class: "explorer-own", submit }, element("label", { for: id }, phrase("Your sentence")),
    element("span", { class: "explorer-own-row" }, input, element("button", { type: "submit" }, press)),
  );

  // Loading begins with the first letter, so that the translator is there when the sentence is.
  function load() {
    loading ??= translatorOf(model, (share) => tell({ loading: phrase("The translator is loading: {share}", { share: `${Math.round(100 * share)}%` }) }))
      .then((loaded) => { translator = loaded; tell({ loading: "" }); return loaded; })
      .catch((error) => {
        loading = null; // so that it can be tried again
        const missing = phrase("The translator is missing: {problem}. The sentences in the list work without it. For anything else, open the page in the built book, or run the cell in a notebook.", { problem: error.message });
        tell({ problem: missing, loading: "" });
        return null;
      });
    if (!translator) tell({ loading: told.loading || phrase("The translator is loading.") });
    return loading;
  }

  const chosen = () => Object.fromEntries(TOGETHER.filter((name) => name in settings).map((name) => [name, settings[name]]));

  // The text box and the list say what is shown.
  function say() {
    const text = settings.own || texts[settings.sentence];
    if (text !== said) input.value = text; // else what the reader is typing stays
    said = text;
    const own = settings.own ? [[OWN, phrase("your own: {sentence}", { sentence: short(settings.own) })]] : [];
    list.offer([...own, ...options()], settings.own ? OWN : String(settings.sentence));
    news.replaceChildren(...(translator && settings.own ? newsOfWords(text, translator, { lang: "en" }) : []));
  }

  function stand(shown) {
    stands = { shown, settings: chosen() };
    say();
    show(shown);
  }

  function computed(loaded, text) {
    const problem = problemOf(loaded, text);
    if (problem) return { problem };
    try {
      return { shown: compute(loaded, text, settings) };
    } catch (error) {
      return { problem: error.message };
    }
  }

  // Changes what is to be shown; what cannot be computed leaves everything as it was.
  async function ask(changes) {
    const mine = (turn += 1);
    Object.assign(settings, changes);
    if (!wants(settings)) {
      tell({ problem: "" });
      stand(stored(settings));
      return;
    }
    const text = settings.own || texts[settings.sentence];
    const loaded = translator ?? (await load());
    if (mine !== turn) return;
    const { shown, problem } = loaded ? computed(loaded, text) : {};
    if (shown) {
      tell({ problem: "" });
      stand(shown);
      return;
    }
    if (problem) tell({ problem });
    Object.assign(settings, stands.settings);
    stand(stands.shown);
  }

  // What can be shown at once; then, if that is not what the settings ask for, what they ask for.
  function begin() {
    const asked = chosen();
    if (wants(settings)) {
      Object.assign(settings, { own: "" }, "off" in settings ? { off: [] } : {});
      stand(stored(settings));
      input.value = asked.own || input.value;
      ask(asked);
    } else stand(stored(settings));
  }

  return { parts: [form, list, status, news], ask, begin };
}
