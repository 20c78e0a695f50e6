"use strict";
// The page shows what the server says and sends what is clicked; it knows no more.
const $ = (id) => document.getElementById(id);
const token = location.hash.slice(1);
let view = null; // What the server last said.
let mark = null; // The first word of a constituent to be, or null.
let chosen = null; // The bracket that is edited, or null.
let aim = null; // The first word of the bracket that is made, and the one after its last.
let busy = false;

async function ask(path, values) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  const headers = { "X-Token": token };
  const options = { headers };
  if (values) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify(values) });
  }
  try {
    const answer = await fetch(path, options);
    const is_view = answer.headers.get("Content-Type").startsWith("application/json");
    if (is_view && answer.status === 422) refuse((await answer.json()).tell);
    else if (is_view) show(await answer.json());
    else tell(await answer.text());
  } catch {
    tell(
      "The server does not answer. Run spacy-gfl correct again and open the address " +
        "that it prints: all accepted trees are saved.",
    );
  }
  busy = false;
  aim = null;
  document.body.removeAttribute("aria-busy");
}

const act = (action, values) =>
  view && ask("do", { action, version: view.version, ...values });

// What was typed can be mended; words that make no constituent are chosen anew.
function refuse(text) {
  if (!$("edit").contains(document.activeElement)) {
    mark = null;
    choose(null);
  }
  tell(text);
}

function tell(text) {
  $("tell").textContent = text;
}

function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const words = (start, end) => view.words.slice(start, end).join(" ");

function show(next) {
  const before = view;
  const place = aim || focused();
  const is_made = aim !== null;
  view = next;
  mark = aim = null;
  const status = view.status ? `, ${view.status}` : "";
  const counts = `${view.accepted} accepted, ${view.skipped} skipped`;
  $("place").textContent = `Sentence ${view.number} of ${view.total}${status} (${counts})`;
  document.title = `${view.number}/${view.total} Correct trees`;
  for (const button of $("actions").children) {
    const action = button.dataset.action;
    button.disabled =
      (action === "undo" && !view.changes) ||
      (action === "previous" && view.number === 1) ||
      (action === "next" && view.number === view.total);
  }
  const names = Object.entries(view.labels);
  $("labels").replaceChildren(
    ...names.map(([value, meaning]) => make("option", { value, label: meaning })),
  );
  $("common").replaceChildren(
    ...names.slice(0, 18).map(([label, title]) => {
      const button = make("button", { type: "button", title }, label);
      button.addEventListener("click", () => setLabel(label));
      return button;
    }),
  );
  draw();
  // Where the focus was; on the first bracket of another sentence.
  const is_same = before && before.number === view.number;
  focusOn(is_same && place ? find(place) : items()[0]);
  if (!is_same) scrollTo(0, 0);
  // A new bracket can have its label changed at once.
  const at = current().dataset.node;
  choose(is_made && at ? Number(at) : null);
  tell(view.tell || "");
}

// The tree: a list in lists, whose items are brackets and words in their order.
function draw() {
  const tree = make("ul", {});
  const open = [{ list: tree, end: view.words.length }];
  let following = 0;
  view.words.forEach((word, i) => {
    while (following < view.nodes.length && view.nodes[following].start === i) {
      const list = make("ul", { role: "group" });
      open.at(-1).list.append(bracket(following, list));
      open.push({ list, end: view.nodes[following++].end });
    }
    open.at(-1).list.append(leaf(word, i));
    while (open.length > 1 && open.at(-1).end === i + 1) open.pop();
  });
  $("tree").lang = view.language;
  $("tree").dir = view.direction;
  $("tree").replaceChildren(...tree.children);
}

function treeitem(attributes, ...children) {
  const common = { role: "treeitem", tabindex: -1, "aria-selected": "false" };
  return make("li", { ...common, ...attributes }, ...children);
}

function bracket(i, list) {
  const { label, start, end, said, unsure } = view.nodes[i];
  const percent = unsure === null ? "" : `${Math.round(100 * unsure)} %`;
  const about = said ? ", as you say" : percent && `, unsure, ${percent}`;
  const title = view.labels[label] || "";
  const name = make("span", { class: "label", title }, label + (percent && ` ? ${percent}`));
  const spoken = `${label}${about}: ${words(start, end)}`;
  const attributes = { "data-node": i, "aria-expanded": "true", "aria-label": spoken };
  const item = treeitem({ class: "node", ...attributes }, name, list);
  item.classList.toggle("said", said);
  item.classList.toggle("unsure", unsure !== null);
  return item;
}

function leaf(word, i) {
  const tag = make("span", { class: "tag" }, view.tags[i]);
  const spoken = `${word}, ${view.tags[i]}`;
  return treeitem({ class: "word", "data-word": i, "aria-label": spoken }, word, tag);
}

const items = () => [...$("tree").querySelectorAll("[role=treeitem]")];
const item = (target) => target.closest("[role=treeitem]");
// What has the focus, or had it before something outside of the tree.
const current = () => $("tree").querySelector("[tabindex='0']");

// A word, or a bracket by its words: its number may have changed.
function focused() {
  const at = current();
  if (!at) return null;
  if (at.dataset.word) return { word: at.dataset.word };
  const { start, end } = view.nodes[at.dataset.node];
  return { start, end };
}

function find({ word, start, end }) {
  const i = view.nodes.findIndex((node) => node.start === start && node.end === end);
  const other = word ?? start;
  return $("tree").querySelector(i < 0 ? `[data-word="${other}"]` : `[data-node="${i}"]`);
}

function focusOn(target) {
  if (!target) return;
  current()?.setAttribute("tabindex", -1);
  target.tabIndex = 0;
  target.focus({ preventScroll: true });
  bring(target);
  paint(target.dataset.word);
}

// Of a bracket the label: all of it may be higher than the window.
function bring(target) {
  const seen = target.querySelector(".label") || target;
  seen.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// Mark the words between the first one and this one.
function paint(word) {
  for (const other of $("tree").querySelectorAll(".word")) {
    const i = Number(other.dataset.word);
    const to = word === undefined ? mark : Number(word);
    const is_in = mark !== null && i >= Math.min(mark, to) && i <= Math.max(mark, to);
    other.classList.toggle("range", is_in);
    other.setAttribute("aria-selected", String(is_in));
  }
}

// Choose a bracket to edit, or nothing.
function choose(i) {
  chosen = i;
  for (const other of $("tree").querySelectorAll(".node")) {
    other.setAttribute("aria-selected", String(other.dataset.node === String(i)));
  }
  $("edit").hidden = chosen === null && mark === null;
  $("help").hidden = !$("edit").hidden;
  for (const id of ["wrap", "remove"]) $(id).hidden = chosen === null;
  $("label").value = "";
  if (chosen !== null) {
    const { label, start, end } = view.nodes[chosen];
    $("chosen").textContent = `${label}: ${words(start, end)}`;
  } else if (mark !== null) {
    $("chosen").textContent = `From “${view.words[mark]}” to …: now the last word, or a label for this word alone.`;
  }
  paint();
}

function join(last, label) {
  if (busy) return;
  aim = { start: Math.min(mark, last), end: Math.max(mark, last) + 1 };
  act("bracket", { first: mark, last, label });
}

function pick(target) {
  if (target.dataset.node) {
    mark = null;
    choose(Number(target.dataset.node));
    $("label").focus();
    return;
  }
  const word = Number(target.dataset.word);
  if (mark === null) {
    mark = word;
    choose(null);
  } else if (mark === word) {
    $("label").focus();
  } else {
    join(word, null);
  }
}

function setLabel(label) {
  if (chosen !== null) act("relabel", { node: chosen, label });
  else join(mark, label);
}

function cancel() {
  mark = null;
  choose(null);
  tell("");
  focusOn(current());
}

function move(from, key) {
  const all = items();
  const at = all.indexOf(from);
  const forward = view.direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const backward = view.direction === "rtl" ? "ArrowRight" : "ArrowLeft";
  const unsure = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  const targets = {
    [forward]: all[at + 1],
    [backward]: all[at - 1],
    ArrowUp: item(from.parentElement),
    ArrowDown: from.querySelector("[role=treeitem]") || all[at + 1],
    Home: all[0],
    End: all.at(-1),
    "?": unsure.find((other) => other.classList.contains("unsure")),
  };
  if (!(key in targets)) return false;
  focusOn(targets[key]);
  return true;
}

$("tree").addEventListener("click", (event) => {
  const target = event.target.closest(".label, .word");
  if (!target) return;
  focusOn(item(target));
  pick(item(target));
});
$("tree").addEventListener("pointerover", (event) => {
  const word = event.target.closest(".word");
  if (word) paint(word.dataset.word);
});
$("tree").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const target = item(event.target);
  const { key } = event;
  const action = $("actions").querySelector(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  if (action) act(action.dataset.action);
  else if (key === "Enter" || key === " ") pick(target);
  else if (key === "/") $("text").focus();
  else if (key === "x" || key === "Delete") {
    if (target.dataset.node) act("remove", { node: Number(target.dataset.node) });
  } else if (!move(target, key)) return;
  event.preventDefault();
});
$("actions").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) act(button.dataset.action);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  act("find", { text: $("text").value });
});
$("edit").addEventListener("submit", (event) => {
  event.preventDefault();
  setLabel($("label").value.trim());
});
// In the empty field, x takes the bracket away, as the button says.
$("label").addEventListener("keydown", (event) => {
  const is_label = Object.keys(view.labels).some((label) => label.startsWith(event.key));
  const is_meant = ["x", "Delete"].includes(event.key) && !is_label;
  if (!is_meant || chosen === null || $("label").value) return;
  event.preventDefault();
  act("remove", { node: chosen });
});
$("wrap").addEventListener("click", () =>
  act("wrap", { node: chosen, label: $("label").value.trim() }),
);
$("remove").addEventListener("click", () => act("remove", { node: chosen }));
$("cancel").addEventListener("click", cancel);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && view) cancel();
});
// The footer covers none of what is scrolled to, nor, when it grows, what is edited.
const footer = document.querySelector("footer");
new ResizeObserver(() => {
  document.documentElement.style.scrollPaddingBottom = `${footer.offsetHeight}px`;
  if (!$("edit").hidden) bring(current());
}).observe(footer);
ask("state");
