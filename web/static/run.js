// Lets a run be walked from failed call to failed call, or call by call. Where a long run's page ends it goes on at the next
// page. Without it the strip of calls and the links of an episode lead from call to call.
(function () {
  "use strict";
  var bar = document.querySelector("[data-walk]");
  if (!bar) { return; }
  var calls = Array.prototype.slice.call(document.querySelectorAll(".call[id]"));
  var failed = calls.filter(function (c) { return c.classList.contains("error"); });
  var state = bar.querySelector(".walk-state");
  var at = null;

  // here is the call that the reader is at: the one walked to last, else the one that the address names.
  function here() {
    return at || document.getElementById(location.hash.slice(1));
  }

  // beyond says whether a call comes after where the reader is, or before it for a step back.
  function beyond(call, step) {
    var from = here();
    if (!from || calls.indexOf(from) < 0) {
      var top = call.getBoundingClientRect().top;
      return step > 0 ? top > bar.offsetHeight : top < 0;
    }
    return (calls.indexOf(call) - calls.indexOf(from)) * step > 0;
  }

  function walk(list, step, name) {
    var ahead = list.filter(function (c) { return beyond(c, step); });
    var to = step > 0 ? ahead[0] : ahead[ahead.length - 1];
    if (!to) {
      var page = document.querySelector(".run-pages a[rel=" + (step > 0 ? "next" : "prev") + "]");
      if (page) {
        location.href = page.href;
        return;
      }
      state.textContent = "No further " + name;
      return;
    }
    at = to;
    location.replace("#" + to.id); // the address names the call, and going back does not walk back step by step
    to.tabIndex = -1;
    to.focus({ preventScroll: true });
    state.textContent = name + " " + (list.indexOf(to) + 1) + " of " + list.length + (document.querySelector(".run-pages") ? " on this page" : "");
  }

  bar.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) { return; }
    var step = button.value.charAt(0) === "-" ? -1 : 1;
    if (button.value.slice(-6) === "failed") { walk(failed, step, "failed call"); } else { walk(calls, step, "call"); }
  });
  window.addEventListener("hashchange", function () {
    var named = document.getElementById(location.hash.slice(1));
    if (named && named !== at) { at = named; }
  });
  bar.hidden = calls.length === 0;
})();
