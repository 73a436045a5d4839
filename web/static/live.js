// Lets a page follow what is ingested. A stream of events says that there is something new; the page is then read again and
// only what differs is put into the one that is shown, so that scroll, focus, open parts and what is typed stay as they are.
(function () {
  "use strict";
  var box = document.querySelector("[data-live]");
  if (!box || !window.EventSource || !window.DOMParser) { return; }
  var state = box.querySelector(".live-state");
  var button = box.querySelector("button");
  var remembered = "errata:paused";
  var least = 2000; // milliseconds between two readings; where reading is slow three times as long as it took
  var source = null;
  var reading = false;
  var wanted = false;
  var earliest = 0;
  var timer = 0;

  function paused() {
    try { return sessionStorage.getItem(remembered) === "1"; } catch (_) { return false; }
  }

  function say(text, kind) {
    box.className = "live" + (kind ? " " + kind : "");
    if (state.textContent !== text) { state.textContent = text; }
  }

  // key names a node that should stay the same although others come and go around it.
  function key(node) {
    if (node.nodeType !== 1) { return ""; }
    if (node.id) { return "#" + node.id; }
    if (node.tagName === "TR" && node.cells.length > 0) { return "=" + node.cells[0].textContent; }
    return "";
  }

  // move puts a node elsewhere, without it losing the focus where the browser can.
  function move(parent, node, before) {
    if (parent.moveBefore) { parent.moveBefore(node, before); } else { parent.insertBefore(node, before); }
  }

  function attributes(now, next) {
    Array.prototype.slice.call(now.attributes).forEach(function (a) {
      if (!next.hasAttribute(a.name) && !(a.name === "open" && now.tagName === "DETAILS")) { now.removeAttribute(a.name); }
    });
    Array.prototype.slice.call(next.attributes).forEach(function (a) {
      if (now.getAttribute(a.name) !== a.value) { now.setAttribute(a.name, a.value); }
    });
  }

  // morph makes one node like another that stands in its place.
  function morph(now, next) {
    if (now.nodeType !== 1) {
      if (now.data !== next.data) { now.data = next.data; }
      return;
    }
    if (now.isEqualNode(next)) { return; }
    if (now.dataset.include !== undefined && now.dataset.include === next.dataset.include) { return; } // it is read for itself
    if (now.dataset.chart !== undefined) { // what is inside is the chart's own
      now.setAttribute("aria-label", next.getAttribute("aria-label") || "");
      return;
    }
    attributes(now, next);
    children(now, next);
  }

  function children(now, next) {
    var keyed = {};
    Array.prototype.forEach.call(now.childNodes, function (child) { if (key(child)) { keyed[key(child)] = child; } });
    var at = now.firstChild;
    Array.prototype.slice.call(next.childNodes).forEach(function (child) {
      var name = key(child);
      var match = name ? keyed[name] : at && !key(at) && at.nodeType === child.nodeType && at.nodeName === child.nodeName ? at : null;
      if (!match || match.nodeName !== child.nodeName) {
        now.insertBefore(document.importNode(child, true), at);
        return;
      }
      delete keyed[name];
      if (match === at) { at = at.nextSibling; } else { move(now, match, at); }
      morph(match, child);
    });
    while (at) {
      var gone = at;
      at = at.nextSibling;
      now.removeChild(gone);
    }
  }

  function chartTexts() {
    var texts = {};
    document.querySelectorAll("[data-chart]").forEach(function (b) { texts[b.dataset.chart] = document.getElementById(b.dataset.chart).textContent; });
    return texts;
  }

  // put brings what a newer reading of the page has into the one that is shown.
  function put(page) {
    var before = chartTexts();
    var focused = document.activeElement;
    ["main", "#fresh", "#as-of"].forEach(function (selector) {
      var now = document.querySelector(selector);
      var next = page.querySelector(selector);
      if (now && next) { morph(now, next); }
    });
    if (focused && focused !== document.activeElement && document.contains(focused)) { focused.focus({ preventScroll: true }); }
    var after = chartTexts();
    document.querySelectorAll("[data-chart]").forEach(function (b) {
      if (before[b.dataset.chart] !== after[b.dataset.chart]) { b.dispatchEvent(new CustomEvent("errata:chart", { bubbles: true })); }
    });
    document.dispatchEvent(new CustomEvent("errata:read"));
    var live = page.querySelector("[data-live]");
    if (live) { box.dataset.mark = live.dataset.mark; }
  }

  // held says whether the reader is in the middle of something that a change would spoil.
  function held() {
    var selection = document.getSelection();
    return selection && !selection.isCollapsed && document.querySelector("main").contains(selection.anchorNode);
  }

  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(read, wait);
  }

  function read() {
    if (reading || !wanted || paused() || document.hidden) { return; }
    if (Date.now() < earliest || held()) {
      later(Math.max(earliest - Date.now(), 500));
      return;
    }
    reading = true;
    wanted = false;
    var start = Date.now();
    fetch(location.href.split("#")[0], { headers: { Accept: "text/html" } }).then(function (answer) {
      if (!answer.ok) { throw new Error("status " + answer.status); }
      return answer.text();
    }).then(function (text) {
      put(new DOMParser().parseFromString(text, "text/html"));
      say("Live, read " + new Date().toISOString().slice(11, 19));
    }).catch(function () {
      say("Cannot be read now", "broken");
      wanted = true;
    }).then(function () {
      reading = false;
      earliest = Date.now() + Math.max(least, 3 * (Date.now() - start));
      if (wanted) { later(least); }
    });
  }

  function hear(event) {
    var news = JSON.parse(event.data);
    if (news.trouble) {
      say("The database does not answer", "broken");
      return;
    }
    if (box.classList.contains("broken")) { say("Live"); }
    if (news.again || news.mark !== box.dataset.mark) {
      wanted = true;
      read();
    }
  }

  function close() {
    if (source) { source.close(); }
    source = null;
  }

  // open listens while the page is looked at: a browser has few connections to one host, and hidden pages need none.
  function open() {
    close();
    if (paused() || document.hidden) { return; }
    source = new EventSource(box.dataset.live);
    source.onopen = function () { say("Live"); };
    source.onmessage = hear;
    source.onerror = function () {
      say("Not connected", "broken");
      if (source && source.readyState === EventSource.CLOSED) { setTimeout(open, 30000); }
    };
  }

  function show() {
    button.setAttribute("aria-pressed", String(paused()));
    if (paused()) { say("Paused", "paused"); } else { say("Connecting"); }
  }

  button.addEventListener("click", function () {
    try { sessionStorage.setItem(remembered, paused() ? "0" : "1"); } catch (_) { return; }
    show();
    open();
  });
  document.addEventListener("visibilitychange", open);
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", function (event) { if (event.persisted) { open(); } });
  box.hidden = false;
  show();
  open();
})();
