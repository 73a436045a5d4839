// Puts a part of another page in where a page names one: what takes longer than the rest of the page to answer, or is watched
// beside it. Without it the page has a link there. A part is read again where the page follows what is ingested.
(function () {
  "use strict";
  var least = 20000; // milliseconds between two readings of one part

  function fill(box) {
    if (box.dataset.reading || Date.now() - Number(box.dataset.readAt || 0) < least) { return; }
    box.dataset.reading = "1";
    fetch(box.dataset.include, { headers: { Accept: "text/html" } }).then(function (answer) {
      if (!answer.ok) { throw new Error("status " + answer.status); }
      return answer.text();
    }).then(function (text) {
      var part = new DOMParser().parseFromString(text, "text/html").querySelector(box.dataset.part);
      if (!part) { throw new Error("no such part"); }
      var place = box.querySelector(".included") || box.appendChild(document.createElement("div"));
      place.className = "included";
      var nodes = part.tagName === "SECTION" ? part.childNodes : [part]; // a section has a frame of its own here
      place.replaceChildren.apply(place, Array.prototype.map.call(nodes, function (n) { return document.importNode(n, true); }));
      ["good", "bad"].forEach(function (kind) { box.classList.toggle(kind, part.classList.contains(kind)); });
    }).catch(function () {
      var place = box.querySelector(".included") || box.appendChild(document.createElement("div"));
      place.className = "included";
      if (!place.hasChildNodes()) { place.textContent = "This cannot be read now; the link leads to it."; }
    }).then(function () {
      delete box.dataset.reading;
      box.dataset.readAt = String(Date.now());
    });
  }

  function all() { document.querySelectorAll("[data-include]").forEach(fill); }

  document.addEventListener("errata:read", all);
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", all);
  } else {
    all();
  }
})();
