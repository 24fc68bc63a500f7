// What scripts make better: answers as one types, keys on the desk, the slider. Everything works without this file.
"use strict";

const find = (what) => document.querySelector(what);
const WAIT = 60; // milliseconds after the last key

function fetchLater(form, url) {
  let timer = 0, last = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = ++last;
      const answer = await fetch(url(), { headers: { Accept: "text/html" } }).catch(() => null);
      if (!answer || !answer.ok || mine !== last) return; // a newer question is on its way
      const text = await answer.text();
      if (mine !== last) return;
      const page = new DOMParser().parseFromString(text, "text/html");
      const results = page.querySelector("#results") || page.body;
      find("#results").replaceChildren(...results.childNodes);
    }, WAIT);
  };
}

function query(form, more) {
  return new URLSearchParams([...new FormData(form), ...Object.entries(more)]);
}

const ask = find("#ask");
if (ask) {
  const url = () => `${ask.action}?${query(ask, { part: "1" })}`;
  const later = fetchLater(ask, url);
  ask.addEventListener("input", () => {
    history.replaceState(null, "", `${ask.action}?${query(ask, {})}`);
    later();
  });
}

const slider = find("#slider");
if (slider) {
  const DAY = 86400000, form = find("#days"), day = find("#as_of"), shown = form.querySelector("output");
  const first = Date.parse(slider.dataset.first), last = Date.parse(slider.dataset.last);
  slider.max = Math.round((last - first) / DAY);
  slider.value = Math.round((Date.parse(slider.dataset.day) - first) / DAY);
  slider.closest("label").hidden = false;
  const later = fetchLater(form, () => `${form.action}?${query(form, {})}`);
  slider.addEventListener("input", () => {
    day.value = shown.value = new Date(first + slider.value * DAY).toISOString().slice(0, 10);
    later();
  });
}

const isTyping = (element) => element.matches("input, textarea, select");
const cards = () => [...document.querySelectorAll(".card")];

function move(by) {
  const all = cards();
  const at = all.findIndex((card) => card.contains(document.activeElement));
  const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  if (next) next.focus();
}

function press(key) {
  const card = document.activeElement.closest(".card") || (key === "u" ? null : cards()[0]);
  const where = key === "u" ? find("main") : card || find("main");
  const button = where && where.querySelector(`button[data-key="${CSS.escape(key)}"]`);
  if (!button) return false;
  const missing = [...button.form.elements].find((field) => field.required && !field.value);
  if (missing) missing.focus(); else button.form.requestSubmit(button);
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  if (event.key === "/" && find("#q")) { find("#q").focus(); event.preventDefault(); }
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (press(event.key)) event.preventDefault();
});

if (find(".done") && cards()[0]) cards()[0].focus({ preventScroll: true });
