// Library: files of the project and files shipped with Panhead; new, copy, rename.
import { post } from "./api.js";
import { $, ask, el } from "./dom.js";
import { state } from "./state.js";

const GROUPS = [["run", "Runs"], ["line", "Lines"], ["design", "Designs of real lines"], ["pantograph", "Pantographs"], ["linkage", "Linkages"], ["vehicle", "Vehicles"], ["study", "Studies"], ["", "Other files"]];
const OPENS = ["run", "line", "design"];
const folds = new Map(); // as the hand has left them
let shown = "";

export function showLibrary(listing, { open, start, study, refresh, refuse }) {
  const now = JSON.stringify([listing, state.runPath, state.linePath]);
  if (now === shown) return; // a button that is being pressed stays the same button
  shown = now;
  const entry = (file) => {
    const mine = !file.path.startsWith("shipped:"), label = mine ? file.path.replace(/\.toml$/, "") : file.name;
    const act = OPENS.includes(file.kind) ? () => open(file.path) : file.kind === "study" ? () => study(file.path) : () => copy(file);
    return el("li", {},
      el("button", { type: "button", class: "open", title: file.about || file.name, "aria-current": [state.runPath, state.linePath].includes(file.path) ? "true" : null, onclick: act, "data-file": file.path }, label),
      el("button", { type: "button", class: "more", "aria-label": `Copy ${label}`, title: "Copy…", onclick: () => copy(file) }, "+"),
      mine ? el("button", { type: "button", class: "more", "aria-label": `Rename ${label}`, title: "Rename…", onclick: () => rename(file) }, "✎") : null);
  };
  const group = (files, kind, words, open_) => {
    const found = files.filter((f) => f.kind === kind);
    if (!found.length) return null;
    const key = `${files === listing.files} ${kind}`, fold = el("details", { open: folds.get(key) ?? open_, ontoggle: () => folds.set(key, fold.open) }, el("summary", {}, `${words} (${found.length})`), el("ul", {}, ...found.map(entry)));
    return fold;
  };
  async function copy(file) {
    const stem = file.kind === "design" ? file.name.replace(/[^\w.-]+/g, "-") : file.path.split(/[/:]/).pop().replace(/\.toml$/, "");
    const made = await ask(`Copy ${stem} into the project`, { to: { label: "New name", value: `my-${stem}` } }, ({ to }) => post("copy", { path: file.path, to: named(to) }));
    if (made) await refresh(OPENS.includes(made.kind) ? made.path : "");
  }
  async function rename(file) {
    const made = await ask(`Rename ${file.path}`, { to: { label: "New name", value: file.path.replace(/\.toml$/, "") } }, ({ to }) => post("rename", { path: file.path, to: named(to) }));
    if (!made) return;
    for (const key of ["linePath", "runPath"]) if (state[key] === file.path) state[key] = made.path;
    await refresh("");
  }
  const own = listing.files.length ? GROUPS.map(([kind, words]) => group(listing.files, kind, words, true)) : [el("p", { class: "quiet" }, "No files yet. Start has four ways to a line.")];
  $("library").replaceChildren(
    el("div", { class: "buttons" }, el("button", { type: "button", id: "new-line", onclick: start }, "New line…"), el("button", { type: "button", onclick: () => refresh("").catch(refuse), "aria-label": "Read the folder again" }, "↻")),
    el("h3", {}, `Project ${listing.name}`), ...own.filter(Boolean),
    el("h3", {}, "Shipped with Panhead"), ...GROUPS.map(([kind, words]) => group(listing.shipped, kind, words, !listing.files.length && ["run", "line"].includes(kind))).filter(Boolean));
}

export const named = (name) => (name.endsWith(".toml") ? name : `${name}.toml`);
