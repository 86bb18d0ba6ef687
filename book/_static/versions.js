/* The versions of the book that are published beside this one, as versions.json lists them. A book
   that is read from a disk asks for nothing, and one that stands alone shows nothing. */
(() => {
  "use strict";

  function made(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  /* This page in another version, or that version's beginning. What stands behind ? and # comes along. */
  function addressIn(version, listing, root) {
    const page = decodeURI(location.pathname.slice(root.pathname.length)) || "index.html";
    const there = version.pages.includes(page);
    const address = new URL(listing.up + version.folder + (there ? encodeURI(page) : "index.html"), root);
    if (there) [address.search, address.hash] = [location.search, location.hash];
    return address.href;
  }

  function linkTo(version, listing, root, text) {
    const link = made("a", { href: addressIn(version, listing, root) }, text);
    link.addEventListener("click", () => { link.href = addressIn(version, listing, root); });
    return link;
  }

  function switcher(listing, root) {
    const items = listing.versions.map((version) => {
      const name = version.newest ? `${version.name} (newest)` : version.name;
      const link = linkTo(version, listing, root, name);
      if (version.name === listing.here) link.setAttribute("aria-current", "true");
      return made("li", {}, link);
    });
    const title = made("summary", {}, `Version ${listing.here}`);
    return made("details", { class: "mt-versions" }, title, made("ul", {}, ...items));
  }

  function notice(listing, newest, root) {
    const what = listing.here === "dev" ? "not released yet" : "an older version";
    const link = linkTo(newest, listing, root, `Version ${newest.name} is the newest.`);
    const said = `This is version ${listing.here} of the book, ${what}. `;
    return made("p", { class: "mt-not-newest" }, said, link);
  }

  function show(listing, root) {
    const newest = listing.versions.find((version) => version.newest);
    if (listing.versions.length < 2 || newest === undefined) return;
    const brand = document.querySelector(".bd-sidebar-primary .navbar-brand");
    if (brand !== null) brand.after(switcher(listing, root));
    const title = document.querySelector("article h1");
    if (listing.here !== newest.name && title !== null) title.before(notice(listing, newest, root));
  }

  if (!/^https?:$/.test(location.protocol)) return;
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  fetch(new URL("versions.json", root))
    .then((answer) => (answer.ok ? answer.json() : null))
    .then((listing) => { if (listing !== null) show(listing, root); })
    .catch(() => { /* Without the list there is nothing to choose. */ });
})();
