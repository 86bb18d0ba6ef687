// Hosts the explorers of a page that has no kernel: the data stand in the page.

function modelOf(state) {
  const values = { ...state };
  return {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    on() {},
    off() {},
    save_changes() {},
  };
}

function hostAll(kind, css, explorer) {
  if (!document.getElementById("mtcourse-explorers-css")) {
    const style = document.createElement("style");
    style.id = "mtcourse-explorers-css";
    style.textContent = css;
    document.head.append(style);
  }
  for (const el of document.querySelectorAll(`[data-explorer="${kind}"]:not([data-hosted])`)) {
    el.dataset.hosted = "";
    const state = JSON.parse(el.querySelector('script[type="application/json"]').textContent);
    explorer.render({ model: modelOf(state), el });
  }
}
