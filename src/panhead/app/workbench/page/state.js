// State of this tab: the line and the run as written, undo history, results.
// It is kept in sessionStorage, so that a reload loses nothing and tabs do not interfere.
import { get, post } from "./api.js";

const KEY = "panhead-workbench";
const DEEPEST = 100; // steps of undo
const STORED = 25; // of them that survive a reload

export const page = (sessionStorage.getItem("panhead-page") || crypto.randomUUID());
sessionStorage.setItem("panhead-page", page);

export const state = {
  line: null, linePath: "", lineMark: null, lineSaved: "",
  run: null, runPath: "", runMark: null, runSaved: "",
  undo: [], redo: [],
  selected: null, view: "line", together: false, automatic: true,
  places: "chainage", // or "metres" from the first mast
  notes: [], // of whoever made the line
  task: 0, // of the last run that was asked for
  opening: 0, // how many files have been opened: what was asked for before concerns another file
  first: 0, window: null, // of a long line: number of the first span drawn, what is seen [m]
  drawing: null, result: null, resultTask: 0, before: null, slopes: null,
  overlays: [], // {name, task | path, answer}
};

const listeners = new Set();
export const onChange = (heard) => listeners.add(heard);
export function changed(what) {
  for (const heard of listeners) heard(what);
  remember();
}

export function remember() {
  const { drawing, result, before, slopes, overlays, ...kept } = state;
  kept.undo = kept.undo.slice(-STORED);
  kept.redo = kept.redo.slice(-STORED);
  kept.overlays = overlays.map(({ name, task, path }) => ({ name, task, path }));
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    kept.undo = kept.redo = []; // a very long line: its present state matters most
    try { sessionStorage.setItem(KEY, JSON.stringify(kept)); } catch { /* nothing more can be kept */ }
  }
}

export function restore() {
  const kept = JSON.parse(sessionStorage.getItem(KEY) || "null");
  if (kept) Object.assign(state, kept, { resultTask: 0 }); // the answer itself is asked for again
  return Boolean(kept?.line);
}

export const lineDirty = () => state.line !== null && JSON.stringify(state.line) !== state.lineSaved;
export const runDirty = () => state.run !== null && JSON.stringify(state.run) !== state.runSaved;
export const shipped = (path) => !path || path.startsWith("shipped:");

const snapshot = () => JSON.stringify({ line: state.line, run: state.run });

function push() {
  state.undo.push(snapshot());
  if (state.undo.length > DEEPEST) state.undo.shift();
  state.redo = [];
}

let turn = Promise.resolve(), changes = 0;

/** True while a change is being checked: the file differs from the page already, or will in a moment. */
export const changing = () => changes > 0;

/** Changes happen one after another, each to what the one before has left; none to a file opened after it was asked for. */
function inTurn(act) {
  const { opening } = state, stale = () => opening !== state.opening;
  changes++;
  const mine = turn.then(() => (stale() ? null : act(stale))).finally(() => { changes--; });
  turn = mine.catch(() => {});
  return mine;
}

/** Promise that resolves when every requested change has been applied or rejected. */
export const settled = () => turn;

export const step = (from, to) => inTurn(() => {
  if (!state[from].length) return;
  state[to].push(snapshot());
  Object.assign(state, JSON.parse(state[from].pop()));
  changed("line");
});

/** One change of the line; it happens only if the program takes it. */
export const editLine = (edit) => inTurn(async (stale) => {
  const { line } = await post("edit", { line: state.line, edit });
  if (stale()) return;
  push();
  state.line = line;
  changed("line");
});

/** A value of the run; null leaves the key out. Checked by the program before it counts. */
export const editRun = (path, value) => inTurn((stale) => setRun(path, value, stale));

async function setRun(path, value, stale) {
  const run = structuredClone(state.run);
  let place = run;
  for (const [k, key] of path.slice(0, -1).entries()) place = place[key] ??= typeof path[k + 1] === "number" ? [] : {};
  const last = path[path.length - 1];
  if (value !== null) place[last] = value;
  else if (Array.isArray(place)) place.splice(last, 1);
  else delete place[last];
  await post("check", { raw: checkable(run) });
  if (stale()) return;
  push();
  state.run = run;
  changed("run");
}

/** The run with the name of its file, from the folder that the program counts from. */
function checkable(run) {
  return run.kind ? run : { kind: "run", ...run };
}

/** Path of the line of a run; "" if the line is defined in the run itself. */
function lineOf(run, runPath, known) {
  if (typeof run.line !== "string") return "";
  if (known.some((f) => f.path === `shipped:line/${run.line}`)) return `shipped:line/${run.line}`;
  const folder = shipped(runPath) ? "" : runPath.split("/").slice(0, -1).join("/");
  const parts = [];
  for (const part of `${folder}/${run.line}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

let asked = 0;

/** Open a run with its line, or a line with a run that is under it; of several asked for at once the last one counts. */
export async function open(path, listing) {
  const mine = ++asked;
  const file = await get("file", { path });
  const known = [...listing.files, ...listing.shipped];
  let run = null, line = null;
  if (file.kind === "run") {
    run = file;
    const place = lineOf(file.raw, path, known);
    line = place ? await get("file", { path: place }) : { path: "", raw: file.raw.line, mark: null };
  } else if (file.kind === "line") {
    line = file;
    run = await runUnder(path, listing);
  } else {
    throw new Error(`${path} is a ${file.kind || "file of unknown kind"}. Open a line or a run; other files are selected in a run.`);
  }
  if (mine !== asked) return;
  Object.assign(state, {
    line: line.raw, linePath: line.path, lineMark: line.mark, lineSaved: JSON.stringify(line.raw),
    run: run.raw, runPath: run.path, runMark: run.mark, runSaved: run.path ? JSON.stringify(run.raw) : "",
    undo: [], redo: [], selected: null, notes: [], result: null, before: null, slopes: null, drawing: null, task: 0, opening: state.opening + 1, first: 0, window: null,
  });
  state.automatic = (run.raw.solver ?? "linear") === "linear";
  changed("opened");
}

/** A run of the project under this line, or the first words of a new one. */
async function runUnder(path, listing) {
  const name = path.replace(/^shipped:line\//, "");
  for (const one of [...listing.files, ...listing.shipped].filter((f) => f.kind === "run")) {
    const run = await get("file", { path: one.path });
    if (lineOf(run.raw, one.path, listing.shipped) === path && !run.raw.variants) return run;
  }
  const raw = { kind: "run", line: shipped(path) ? name : path, speed: "250 km/h", train: [{ pantograph: "en50318-2002" }] };
  return { path: "", raw, mark: null };
}
