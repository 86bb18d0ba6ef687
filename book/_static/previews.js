/* Shows what a reference leads to, in a card beside it, while the mouse or the keyboard is on it.
   book/_ext/previews.py writes the cards of each page that is referred to into a script. */
(() => {
  "use strict";
  const OPENS_AFTER = 300; // ms: the mouse often only passes
  const CLOSES_AFTER = 250; // ms: time to reach the card
  const GAP = 6, EDGE = 8; // pixels, to the reference and to the window
  const SMALLEST = 0.6; // of a formula's size, where it would not fit otherwise
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const cards = new Map(); // by page: what its file says
  const asked = new Map(); // by page: when its file is there
  let card = null; // the element, made when it is first needed
  let shown = null; // the link whose card is open
  let wanted = null; // the link whose card is about to open
  let dismissed = null; // the link whose card the reader has closed
  let timer = 0;

  globalThis.mtcoursePreviews = (page, ofPage) => cards.set(page, ofPage);

  /* Which page of the book a link leads to, and what stands behind its #. */
  function targetOf(link) {
    const place = new URL(link.href);
    const id = decodeURIComponent(place.hash.slice(1));
    place.hash = place.search = "";
    if (!place.href.startsWith(root.href)) return null;
    return { page: decodeURIComponent(place.href.slice(root.href.length)), id, url: place.href };
  }

  function load(page) {
    if (!asked.has(page)) {
      asked.set(page, new Promise((resolve) => {
        const script = document.createElement("script");
        const path = page.replace(/\.html$/, ".js").split("/").map(encodeURIComponent).join("/");
        script.src = new URL(`_static/previews/${path}`, root).href;
        script.onload = script.onerror = resolve;
        document.head.append(script);
      }));
    }
    return asked.get(page);
  }

  /* --- what a card holds --- */

  /* The card of a target as elements; null where there is none. */
  function contentOf({ page, id, url }) {
    const ofPage = cards.get(page) || {};
    if (!Object.hasOwn(ofPage, id)) return null;
    const content = document.createElement("template");
    if (ofPage[id] === null) {
      const here = document.getElementById(id);
      if (here === null) return null;
      content.content.append(here.cloneNode(true));
    } else {
      content.innerHTML = ofPage[id];
    }
    const parts = content.content;
    for (const link of parts.querySelectorAll("a.headerlink")) link.remove();
    for (const link of parts.querySelectorAll("a[href]")) {
      link.setAttribute("href", new URL(link.getAttribute("href"), url).href);
      link.removeAttribute("title");
    }
    for (const image of parts.querySelectorAll("img[src]")) {
      image.setAttribute("src", new URL(image.getAttribute("src"), url).href);
    }
    for (const part of parts.querySelectorAll("a, [tabindex]")) part.tabIndex = -1;
    renameIds(parts);
    return parts;
  }

  /* No id may be twice on a page; what a drawing refers to goes by its new name. */
  function renameIds(parts) {
    const renamed = new Set();
    for (const part of parts.querySelectorAll("[id]")) {
      renamed.add(part.id);
      part.id = `preview-${part.id}`;
    }
    if (renamed.size === 0) return;
    for (const part of parts.querySelectorAll("svg, svg *")) {
      for (const { name, value } of [...part.attributes]) {
        const changed = value.replace(/(url\(["']?#|^#)([^"')]+)/g, (all, before, id) => (
          renamed.has(id) ? `${before}preview-${id}` : all));
        if (changed !== value && name !== "id") part.setAttribute(name, changed);
      }
    }
  }

  /* --- opening and closing --- */

  function makeCard() {
    const made = document.createElement("div");
    // The link is described by the card, and the card is not read for a second time.
    made.id = "preview-card";
    made.className = "preview-card bd-article";
    made.setAttribute("role", "tooltip");
    made.setAttribute("aria-hidden", "true");
    made.addEventListener("pointerover", stay);
    made.addEventListener("pointerout", leave);
    document.body.append(made);
    return made;
  }

  function want(link, after) {
    if (link === dismissed) return;
    const target = targetOf(link);
    if (target === null) return;
    stay();
    if (link === shown) return;
    wanted = link;
    holdTitle(link);
    const ready = load(target.page);
    timer = setTimeout(async () => {
      await ready;
      if (wanted === link) open(link, target);
    }, after);
  }

  function open(link, target) {
    const content = contentOf(target);
    close();
    if (content === null) return;
    card ??= makeCard();
    card.replaceChildren(content);
    card.hidden = false;
    holdTitle(link);
    // A formula that is read as one line of letters describes nothing.
    if (card.querySelector(":scope > .math") === null) {
      link.setAttribute("aria-describedby", card.id);
    }
    shown = link;
    fit();
    place(link);
  }

  function close() {
    clearTimeout(timer);
    for (const link of [wanted, shown]) {
      if (link === null) continue;
      link.removeAttribute("aria-describedby");
      giveTitle(link);
    }
    if (card !== null) card.hidden = true;
    wanted = shown = null;
  }

  function stay() {
    clearTimeout(timer);
    if (wanted !== null && wanted !== shown) giveTitle(wanted);
    wanted = shown;
  }

  function leave() {
    stay();
    if (shown !== null && isFocused(shown)) return;
    timer = setTimeout(close, CLOSES_AFTER);
  }

  function isFocused(link) {
    return link === document.activeElement && link.matches(":focus-visible");
  }

  /* The browser would show the title beside the card. */
  function holdTitle(link) {
    if (!link.hasAttribute("title")) return;
    link.dataset.title = link.getAttribute("title");
    link.removeAttribute("title");
  }

  function giveTitle(link) {
    if (link.dataset.title === undefined) return;
    link.setAttribute("title", link.dataset.title);
    delete link.dataset.title;
  }

  /* --- where it stands --- */

  /* A formula that is wider than the card is set smaller. */
  function fit() {
    for (const box of card.querySelectorAll(":scope > .math > .equation")) {
      const ratio = box.clientWidth / box.scrollWidth;
      if (ratio < 1) box.style.fontSize = `${Math.max(ratio * 0.98, SMALLEST)}em`;
    }
  }

  /* Below the reference, or above it where there is more room. */
  function place(link) {
    const lines = [...link.getClientRects()];
    const line = lines.find(({ left, right, top, bottom }) => (
      pointer.x >= left && pointer.x <= right && pointer.y >= top && pointer.y <= bottom
    )) || lines[0];
    if (line === undefined) return;
    const width = document.documentElement.clientWidth;
    card.style.left = card.style.top = "0";
    const below = innerHeight - line.bottom, above = line.top;
    card.style.maxHeight = `min(70vh, ${Math.max(below, above) - GAP - EDGE}px)`;
    const size = card.getBoundingClientRect();
    const start = { x: size.left, y: size.top };
    const left = Math.max(EDGE, Math.min(line.left, width - size.width - EDGE));
    const fits = size.height + GAP + EDGE <= below || below >= above;
    const top = fits ? line.bottom + GAP : line.top - GAP - size.height;
    card.style.left = `${left - start.x}px`;
    card.style.top = `${top - start.y}px`;
  }

  /* --- the reader --- */

  const pointer = { x: -1, y: -1 };

  function linkOf(event) {
    const link = event.target instanceof Element && event.target.closest("a.internal[href]");
    return link && link.closest("article") && !link.matches(".headerlink, .download") ? link : null;
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return; // who touches a link follows it
    const link = linkOf(event);
    if (link === null) return;
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
    want(link, shown === null ? OPENS_AFTER : OPENS_AFTER / 2);
  });
  document.addEventListener("pointerout", (event) => {
    const link = linkOf(event);
    if (link === null || (event.relatedTarget && link.contains(event.relatedTarget))) return;
    if (dismissed === link) dismissed = null;
    leave();
  });
  document.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link === null || !isFocused(link)) return;
    Object.assign(pointer, { x: -1, y: -1 });
    want(link, 0);
  });
  document.addEventListener("focusout", (event) => {
    const link = linkOf(event);
    if (link === null) return;
    if (dismissed === link) dismissed = null;
    if (link === shown || link === wanted) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || (shown === null && wanted === null)) return;
    dismissed = shown || wanted;
    close();
  });
  document.addEventListener("click", (event) => {
    const inCard = card !== null && card.contains(event.target);
    if (!inCard || event.target.closest("a")) close();
  });
})();
