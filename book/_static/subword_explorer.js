// How sentences fall into pieces at different vocabulary sizes (chapter 1): one slider.
// One ES module, no dependencies. It fills every element with data-explorer="subwords", whose data
// stand in it as JSON: {sizes: [...], sentences: [{text, pieces: [[...] for each size]}]}.

function render(host, number) {
  const { sizes, sentences } = JSON.parse(host.querySelector('script[type="application/json"]').textContent);
  const id = `subwords-${number}`;
  const row = document.createElement("div");
  row.className = "explorer-row";
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = "Size of the vocabulary";
  const slider = Object.assign(document.createElement("input"), {
    type: "range", id, min: 0, max: sizes.length - 1, value: 2,
  });
  const output = document.createElement("output");
  output.setAttribute("for", id);
  row.append(label, slider, output);
  const list = document.createElement("ul");
  list.className = "explorer-sentences";

  const draw = () => {
    const at = Number(slider.value);
    output.textContent = sizes[at];
    slider.setAttribute("aria-valuetext", `${sizes[at]} pieces`);
    list.replaceChildren(...sentences.map(({ text, pieces }) => {
      const item = document.createElement("li");
      const line = document.createElement("div");
      for (const piece of pieces[at]) {
        const box = document.createElement("span");
        box.className = "explorer-piece";
        box.textContent = piece;
        line.append(box);
      }
      const count = document.createElement("div");
      count.className = "explorer-count";
      count.textContent = `${text} ${pieces[at].length} pieces`;
      item.append(count, line);
      return item;
    }));
  };
  slider.addEventListener("input", draw);
  host.replaceChildren(row, list);
  draw();
}

document.querySelectorAll('[data-explorer="subwords"]').forEach(render);
