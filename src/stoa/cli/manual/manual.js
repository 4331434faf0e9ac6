// Searches the documentation in the reader's browser. The index is loaded when it is first needed.
"use strict";

const root = document.documentElement.dataset.root;
const form = document.querySelector(".find");
const field = document.querySelector("#find");
const found = document.querySelector(".found");
const status = found.querySelector("[role=status]");
const list = found.querySelector("ul");
const book = document.querySelector(".book");
const MOST = 20;
const AROUND = 80;

const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const spaced = (text) => ` ${words(text).join(" ")}`;

let loading = null;

function load() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${root}search.js`;
    script.onload = () => resolve(prepared(window.stoaManual));
    document.head.append(script);
  });
  return loading;
}

function prepared({ pages, sections }) {
  return sections.map(([page, place, heading, text]) => {
    const [address, title] = pages[page];
    const href = `${root}${address}#${place}`;
    return { href, title, heading, text, head: spaced(`${title} ${heading}`), all: spaced(`${title} ${heading} ${text}`) };
  });
}

function score(section, asked) {
  let sum = 0;
  for (const word of asked) {
    const times = section.all.split(` ${word}`).length - 1;
    if (times === 0) return 0;
    sum += Math.min(times, 5) + (section.head.includes(` ${word}`) ? 10 : 0);
  }
  return sum;
}

function excerpt(text, asked) {
  const starts = asked.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const at = starts.length ? Math.min(...starts) : 0;
  const from = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - AROUND)));
  const cut = text.slice(from, at + 2 * AROUND);
  return `${from ? "… " : ""}${cut.trim()}${from + cut.length < text.length ? " …" : ""}`;
}

function row(section, asked) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = section.href;
  link.textContent = section.heading === section.title ? section.title : `${section.title}: ${section.heading}`;
  const text = document.createElement("p");
  text.textContent = excerpt(section.text, asked);
  item.append(link, text);
  return item;
}

async function search() {
  const asked = words(field.value);
  found.hidden = asked.length === 0;
  book.hidden = !found.hidden;
  if (found.hidden) return;
  const sections = await load();
  const ranked = sections
    .map((section) => ({ section, rank: score(section, asked) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  status.textContent = ranked.length === 0 ? "Nothing found." : `${ranked.length} found${ranked.length > MOST ? `; the first ${MOST}` : ""}`;
  list.replaceChildren(...ranked.slice(0, MOST).map(({ section }) => row(section, asked)));
}

function leave() {
  field.value = "";
  search();
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("focus", load, { once: true });
field.addEventListener("input", search);
list.addEventListener("click", (event) => { if (event.target.closest("a")) leave(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.activeElement === field) leave();
  if (event.key === "/" && document.activeElement === document.body) {
    event.preventDefault();
    field.focus();
  }
});
