// Lets the review queue be worked without leaving it: keys move and decide, a decision is sent as its form would send it,
// and what the server says was recorded is what is then shown. Without it every decision is a form of its own.
(function () {
  "use strict";
  var queue = document.querySelector("[data-queue]");
  if (!queue) { return; }
  var cards = Array.prototype.slice.call(queue.querySelectorAll(".candidate"));
  var status = queue.querySelector(".queue-status");
  var taken = []; // what was decided here: the card and the state before
  var at = -1;

  function open(card) { return card.dataset.state === "new"; }

  function say(text) {
    var left = cards.filter(open).length;
    status.textContent = (text ? text + " " : "") + (at + 1) + " of " + cards.length + "; " + left + " to decide, " + taken.length + " decided now. The key ? lists the keys.";
  }

  function choose(index, focus) {
    if (index < 0 || index >= cards.length) { return; }
    if (at >= 0) { cards[at].classList.remove("current"); }
    at = index;
    cards[at].classList.add("current");
    if (focus) {
      cards[at].focus({ preventScroll: true });
      cards[at].scrollIntoView({ block: "nearest" });
    }
  }

  // following is the next card to decide about, or the one that is shown where none is left.
  function following() {
    for (var i = 1; i <= cards.length; i++) {
      var index = (at + i) % cards.length;
      if (open(cards[index])) { return index; }
    }
    return at;
  }

  // show puts a decision into its card.
  function show(card, now) {
    card.dataset.state = now.state;
    card.querySelector("[name=seen]").value = now.seen;
    var line = card.querySelector(".decided");
    line.hidden = false;
    line.querySelector(".state").className = "state is-" + now.state;
    line.querySelector(".state").textContent = now.decided;
    line.querySelector(".why").textContent = now.note;
    card.querySelectorAll(".buttons button").forEach(function (b) { b.hidden = b.value === now.state; });
  }

  function complain(card, text) {
    var box = card.querySelector(".overtaken");
    box.textContent = text;
    box.hidden = !text;
  }

  // send decides about a card; then is called with what was recorded.
  function send(card, state, then) {
    var form = card.querySelector("form");
    if (form.dataset.busy) { return; }
    form.dataset.busy = "1";
    complain(card, "");
    var body = new URLSearchParams(new FormData(form));
    body.set("state", state);
    fetch(form.action, { method: "POST", body: body, headers: { Accept: "application/json" } }).then(function (answer) {
      return answer.json().then(function (said) {
        if (answer.ok) {
          form.querySelector("[name=note]").value = "";
          show(card, said);
          then(said);
          return;
        }
        if (said.now) { show(card, said.now); }
        complain(card, said.message || said.error.message);
        say("");
      });
    }).catch(function () {
      complain(card, "The dashboard does not answer. Nothing was recorded.");
    }).then(function () { delete form.dataset.busy; });
  }

  var words = { accepted: "Accepted", rejected: "Rejected", "new": "Taken back" };

  function decide(card, state) {
    var before = card.dataset.state;
    send(card, state, function (said) {
      taken.push({ card: card, before: before });
      choose(cards.indexOf(card), false);
      choose(following(), true);
      say(words[said.state] + ".");
    });
  }

  function undo() {
    var last = taken[taken.length - 1];
    if (!last) {
      var button = document.querySelector("[data-undo]");
      if (button) { button.click(); }
      return;
    }
    taken.pop(); // where somebody else decided meanwhile there is nothing left to undo
    send(last.card, last.before, function () {
      choose(cards.indexOf(last.card), true);
      say("Undone.");
    });
  }

  queue.addEventListener("submit", function (event) {
    var card = event.target.closest(".candidate");
    if (!card || !event.submitter || !event.submitter.value) { return; }
    event.preventDefault();
    decide(card, event.submitter.value);
  });
  // The name is typed once for all.
  queue.addEventListener("change", function (event) {
    if (event.target.name !== "author") { return; }
    queue.querySelectorAll("[name=author]").forEach(function (field) { field.value = event.target.value; });
  });
  queue.addEventListener("focusin", function (event) {
    var card = event.target.closest(".candidate");
    if (card) { choose(cards.indexOf(card), false); }
  });
  queue.addEventListener("keydown", function (event) {
    // Escape leaves a field, so that the keys work again; Enter there must not decide without a word of which.
    if (event.target.tagName !== "INPUT") { return; }
    if (event.key === "Escape" || event.key === "Enter") {
      event.preventDefault();
      event.target.closest(".candidate").focus({ preventScroll: true });
    }
  });
  document.addEventListener("errata:key", function (event) {
    switch (event.detail) {
      case "j": choose(Math.min(at + 1, cards.length - 1), true); say(""); break;
      case "k": choose(Math.max(at - 1, 0), true); say(""); break;
      case "u": undo(); break;
    }
  });
  if (cards.length > 0) {
    choose(open(cards[0]) ? 0 : (at = 0, following()), false);
    say("");
  }
})();
