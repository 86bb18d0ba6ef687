// Hosts the explorers of a page that has no kernel: the data stand in the page, and the address holds
// what a reader has chosen, so that a link shows the same again.

const ASKS = "explorer";
const LATER = 250; // milliseconds without a change, after which the address is written

function modelOf(state, el, changed) {
  const values = { ...state };
  return {
    translatorFolder: el.dataset.translator,
    languageModelFolder: el.dataset.languageModel,
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    on() {},
    off() {},
    save_changes: () => changed(values.settings),
  };
}

// --- the address: #explorer=name&setting=value, with the settings that are not the page's own --------

const isText = (value) => typeof value === "string";

function addressOfSettings(name, settings, initial) {
  const parts = new URLSearchParams({ [ASKS]: name });
  for (const [key, value] of Object.entries(settings)) {
    if (JSON.stringify(value) === JSON.stringify(initial[key])) continue;
    parts.set(key, isText(initial[key]) ? value : JSON.stringify(value));
  }
  return `#${parts}`;
}

// What an address asks of an explorer: {} for nothing else than the page does, null where the address
// names another explorer, a setting that there is not, or a value that is not of the setting's kind.
function settingsOfAddress(name, initial, hash) {
  const parts = [...new URLSearchParams(hash.slice(1))];
  if (parts.length === 0 || parts[0][0] !== ASKS || parts[0][1] !== name) return null;
  const asked = {};
  for (const [key, text] of parts.slice(1)) {
    if (!Object.hasOwn(initial, key)) return null;
    try {
      asked[key] = isText(initial[key]) ? text : JSON.parse(text);
    } catch {
      return null;
    }
    if (!isLike(asked[key], initial[key])) return null;
  }
  return asked;
}

// A value can stand for another if it has the same type; a list, if all of its members can.
function isLike(value, example) {
  if (Array.isArray(example)) {
    return Array.isArray(value) && value.every((one) => (example.length ? isLike(one, example[0]) : one !== null));
  }
  if (example === null) return true;
  return typeof value === typeof example && value !== null && !Array.isArray(value);
}

// Inputs in use that were given a value that they do not have.
const isBroken = (el) =>
  [...el.querySelectorAll("select")].some((input) => input.selectedIndex < 0 && input.options.length && !input.closest("[hidden]")) ||
  [...el.querySelectorAll("fieldset.explorer-choice")].some((group) => !group.querySelector(":checked"));

// --- explorers ----------------------------------------------------------------------------------

function host(el, name, state, explorer) {
  let ready = false;
  let timer = null;
  const write = (settings) => {
    try {
      history.replaceState(null, "", addressOfSettings(name, settings, state.settings));
    } catch {
      // A browser may refuse many changes one after the other: the next one counts.
    }
  };
  const changed = (settings) => {
    if (!ready) return;
    clearTimeout(timer);
    timer = setTimeout(() => write(settings), LATER);
  };
  const show = (settings) => {
    ready = false;
    clearTimeout(timer);
    explorer.render({ model: modelOf({ ...state, settings: { ...state.settings, ...settings } }, el, changed), el });
    ready = true;
  };
  const shows = (asked) => {
    try {
      show(asked);
      return !isBroken(el);
    } catch {
      return false; // an address that somebody has changed by hand
    }
  };
  const follow = () => {
    const asked = settingsOfAddress(name, state.settings, location.hash);
    if (!asked) return false;
    if (shows(asked)) el.scrollIntoView();
    else show({});
    return true;
  };
  if (!follow()) show({});
  addEventListener("hashchange", follow);
}

function hostAll(kind, css, explorer) {
  if (!document.getElementById("mtcourse-explorers-css")) {
    const style = document.createElement("style");
    style.id = "mtcourse-explorers-css";
    style.textContent = css;
    document.head.append(style);
  }
  const all = [...document.querySelectorAll(`[data-explorer="${kind}"]`)];
  all.forEach((el, number) => {
    if ("hosted" in el.dataset) return;
    el.dataset.hosted = "";
    const state = JSON.parse(el.querySelector('script[type="application/json"]').textContent);
    host(el, number ? `${kind}.${number + 1}` : kind, state, explorer);
  });
}
