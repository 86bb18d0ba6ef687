// How sentences fall into pieces at different vocabulary sizes (chapter 1): one slider.

import { element, furnish, liveRegion, settingsOf, slider } from "../../figures/javascript/parts.js";

export const piecesInAll = (sentences, at) =>
  sentences.reduce((sum, { pieces }) => sum + pieces[at].length, 0);

function render({ model, el }) {
  const { sizes, sentences } = model.get("data");
  const { settings, keep } = settingsOf(model);
  const list = element("ul", { class: "explorer-sentences" });
  const says = liveRegion();
  const draw = () => {
    list.replaceChildren(...sentences.map(({ text, pieces }) => {
      const cut = pieces[settings.at];
      const boxes = cut.map((piece) => element("span", { class: "explorer-piece" }, piece));
      return element(
        "li", {},
        element("div", {}, text, " ", element("span", { class: "explorer-muted" }, `${cut.length} pieces`)),
        element("div", {}, ...boxes),
      );
    }));
    says.textContent = `With a vocabulary of ${sizes[settings.at]}, these sentences take ${piecesInAll(sentences, settings.at)} pieces.`;
  };
  const controls = element("div", { class: "explorer-controls" });
  controls.append(slider({
    label: "Size of the vocabulary", min: 0, max: sizes.length - 1, value: settings.at,
    show: (at) => `${sizes[at]}`,
    change: (at) => { settings.at = at; draw(); keep(); },
  }));
  furnish(el, "Explorer of subwords", controls, list, says);
  draw();
}

export default { render };
