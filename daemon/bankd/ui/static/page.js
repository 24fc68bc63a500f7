// What scripts make better: answers as one types, keys, the slider. Everything works without this file.
"use strict";

const find = (what, where = document) => where.querySelector(what);
const all = (what) => [...document.querySelectorAll(what)];
const WAIT = 60; // milliseconds after the last key
const isTyping = (at) => at.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");

function fetchLater(url) {
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
      find("#results").replaceChildren(...(find("#results", page) || page.body).childNodes);
    }, WAIT);
  };
}
const query = (form, more) => new URLSearchParams([...new FormData(form), ...Object.entries(more)]);

const ask = find("#ask");
if (ask) {
  const later = fetchLater(() => `${ask.action}?${query(ask, { part: "1" })}`);
  ask.addEventListener("input", () => {
    history.replaceState(null, "", `${ask.action}?${query(ask, {})}`);
    later();
  });
}

const slider = find("#slider");
if (slider) {
  const DAY = 86400000, form = find("#days"), day = find("#as_of"), shown = find("output", form);
  const first = Date.parse(slider.dataset.first), last = Date.parse(slider.dataset.last);
  slider.max = Math.round((last - first) / DAY);
  slider.value = Math.round((Date.parse(slider.dataset.day) - first) / DAY);
  slider.closest("label").hidden = false;
  const later = fetchLater(() => `${form.action}?${query(form, {})}`);
  slider.addEventListener("input", () => {
    day.value = shown.value = new Date(first + slider.value * DAY).toISOString().slice(0, 10);
    later();
  });
}

function move(by) {
  if (find("#card")) { const links = all(".queue a"), at = links.findIndex((one) => one.ariaCurrent); links[at + by]?.click(); return; }
  const rows = all("[data-row]").filter((row) => row.offsetParent !== null), at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  if (next) (find(".text a, .said a", next) || next).focus();
}

const PLACES = { h: "home", r: "review", p: "people", t: "timeline", m: "map", a: "activity" };
let isGoing = false;
document.addEventListener("keydown", (event) => {
  const at = event.target;
  const isLatin = /^[ -~]$/.test(event.key) || (event.key.length > 1 && event.key !== "Process");
  const key = isLatin ? event.key : event.code.replace(/^Key|^Digit/, "").toLowerCase(); // ㅓ is KeyJ: Korean layout
  if (key === "Enter" && (event.metaKey || event.ctrlKey) && at.form) { at.form.requestSubmit(); return; }
  if (key === "Escape" && isTyping(at)) { at.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(at)) return;
  const home = document.body.dataset.home;
  if (isGoing) { isGoing = false; if (PLACES[key]) location.href = home + PLACES[key]; return; }
  if (key === "g") { isGoing = true; setTimeout(() => { isGoing = false; }, 1200); return; }
  if (key === "/") { const field = find("#q"); if (field) field.select(); else location.href = `${home}search`; }
  else if (key === "?") find("#help").togglePopover();
  else if (key === "c" && find("#note")) find("#note").focus();
  else if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
  else {
    const button = find(`.toast [data-key="${CSS.escape(key)}"], main [data-key="${CSS.escape(key)}"]`) || find(`[data-key="${CSS.escape(key)}"]`);
    if (!button) return;
    if (button.matches("input")) button.focus(); else button.click();
  }
  event.preventDefault();
});

if (location.hash === "#note") find("#note")?.focus();
