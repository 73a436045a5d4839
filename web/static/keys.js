// Lets a page be walked by keys. An element with data-key="x" is what the key x does: a link or a button is clicked, a
// disclosure is opened. Two keys one after the other are written with a space, as in "g l". Keys rest while somebody types,
// and can be turned off for good.
(function () {
  "use strict";
  var off = "errata:keys-off";
  var pending = "";
  var timer = 0;

  function stored() {
    try { return localStorage.getItem(off) === "1"; } catch (_) { return false; }
  }

  function typing(element) {
    return element.closest && element.closest("input, textarea, select, [contenteditable]");
  }

  // targets are the elements of a key that can be reached, those of the chosen part of the page first.
  function targets(keys) {
    var all = Array.prototype.slice.call(document.querySelectorAll("[data-key]")).filter(function (e) {
      return e.dataset.key === keys && !e.closest("[hidden]");
    });
    var chosen = all.filter(function (e) { return e.closest("[data-queue]"); });
    return chosen.length > 0 ? chosen.filter(function (e) { return e.closest(".current"); }) : all;
  }

  function begins(keys) {
    return Array.prototype.some.call(document.querySelectorAll("[data-key]"), function (e) { return e.dataset.key.indexOf(keys + " ") === 0; });
  }

  function act(element) {
    if (element.tagName !== "SUMMARY") {
      element.click();
      return;
    }
    var box = element.parentElement;
    box.open = true;
    var field = box.querySelector("input:not([type=hidden]), select, textarea");
    (field || element).focus();
    element.scrollIntoView({ block: "nearest" });
  }

  function help() {
    var list = document.getElementById("keys");
    list.open = !list.open;
    list.querySelector("summary").focus();
    list.scrollIntoView({ block: "nearest" });
  }

  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.key.length !== 1) { return; }
    if (stored() || typing(event.target)) { return; }
    // Space and Enter belong to what has the focus.
    if (event.key === " ") { return; }
    var keys = pending ? pending + " " + event.key : event.key;
    pending = "";
    clearTimeout(timer);
    if (begins(keys)) {
      pending = keys;
      timer = setTimeout(function () { pending = ""; }, 1500);
      return;
    }
    if (keys === "?") {
      event.preventDefault();
      help();
      return;
    }
    var found = targets(keys);
    if (found.length > 0) {
      event.preventDefault();
      act(found[0]);
      return;
    }
    document.dispatchEvent(new CustomEvent("errata:key", { detail: keys }));
  }

  // toggle adds what turns the keys off: who speaks to the machine would press them without meaning to.
  function toggle() {
    var list = document.getElementById("keys");
    if (!list) { return; }
    var button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Turn keys off";
    button.setAttribute("aria-pressed", String(stored()));
    button.addEventListener("click", function () {
      var now = !stored();
      try { localStorage.setItem(off, now ? "1" : "0"); } catch (_) { return; }
      button.setAttribute("aria-pressed", String(now));
    });
    list.appendChild(button);
  }

  // themes changes the colours at once; the form does the same without scripts.
  function themes() {
    var form = document.querySelector("form.theme");
    if (!form) { return; }
    form.addEventListener("submit", function (event) {
      if (!event.submitter) { return; }
      event.preventDefault();
      var name = event.submitter.value;
      var body = new URLSearchParams(new FormData(form));
      body.set("theme", name);
      fetch(form.action, { method: "POST", body: body, redirect: "manual" }).catch(function () {});
      if (name === "auto") {
        delete document.documentElement.dataset.theme;
      } else {
        document.documentElement.dataset.theme = name;
      }
      form.querySelectorAll("button").forEach(function (b) { b.setAttribute("aria-pressed", String(b === event.submitter)); });
      document.dispatchEvent(new CustomEvent("errata:theme"));
    });
  }

  document.addEventListener("keydown", pressed);
  toggle();
  themes();
})();
