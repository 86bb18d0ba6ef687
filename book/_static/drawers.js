/* On a phone, the contents lie over the page: whoever has chosen a place in them wants to see it. */
(() => {
  "use strict";
  document.addEventListener("click", ({ target }) => {
    target.closest?.('dialog a[href*="#"]')?.closest("dialog").close();
  });
})();
