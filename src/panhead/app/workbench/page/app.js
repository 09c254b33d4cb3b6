// Entry point of the workbench page: connects drawing, charts, results, studies and the server.
import { get, listen, post } from "./api.js";
import { Animation } from "./animation.js";
import { Chart, Link } from "./chart.js";
import { $, ask, el, takeTyped, typing } from "./dom.js";
import { Editor } from "./editor.js";
import { Overview } from "./overview.js";
import { showInspector } from "./inspector.js";
import { named, showLibrary } from "./library.js";
import { forceMarks, forceSeries, Results, showVerdict } from "./results.js";
import { Arrows } from "./arrows.js";
import { showRun } from "./runpanel.js";
import { Start } from "./start.js";
import { placeOf } from "./places.js";
import { changed, changing, editRun, lineDirty, onChange, open, page, restore, runDirty, settled, shipped, state, step } from "./state.js";
import { Studies } from "./studies.js";

const DEBOUNCE = 120; // ms from the last change to the run that answers it
const DRAWN = 40; // spans that are drawn at once
const SEEN = 20; // spans of a longer line that are seen when it is opened
const LEAD = 400; // m before what is judged: the ramp of two seconds and the run-in, up to 500 km/h
const QUIET = 500; // ms without a change before the line is checked against limits
const VIEWS = ["start", "line", "results", "animation", "study"];
const along = new Link();
let listing = { files: [], shipped: [], results: [], name: "" }, live = [], timer = 0, checking = 0, following = 0, drawn = 0, started = 0, submitted = 0, running = false, reading = "", asking = Promise.resolve(), redrawn = Promise.resolve();

const editor = new Editor(along, { choose, refuse, redrawn: () => redrawn });
const overview = new Overview(along);
const words = "distance along the track (m)";
const force = new Chart($("force"), { title: "Contact force", x: words, y: "contact force (N)", unit: "N" }, along);
const statics = new Chart($("statics"), { title: "Static dropper forces and elasticity", x: words, y: "static dropper force (N)", unit: "N" }, along);
const results = new Results(along, refuse, refresh), animation = new Animation(refuse), studies = new Studies(refuse, refresh);
const starter = new Start({ opened: created, refuse }), arrows = new Arrows(() => editor.draw(), refuse);
editor.instead = () => (reading ? `Reading ${reading} …` : state.line ? "Stringing the line …" : "No line is open. Choose one on the left, or begin at Start.");
statics.waiting = () => (state.line ? "the line is being strung" : "no line is open");
force.waiting = () => pending(state.line ? (state.drawing ? "no run yet; press Run" : "the line comes first") : "no line is open");
results.waiting = () => pending(state.line ? "Nothing has run yet. Press Run; the results appear when the run is finished." : "No line is open. Choose one on the left, or begin at Start.");

/** What a place without data says: how far the first run is, or what to do. */
function pending(otherwise) {
  if (!awaited()) return otherwise;
  const share = running ? Math.round(100 * $("progress").value) : 0, phase = $("progress-words").textContent;
  return `the run is being computed: ${share} %${phase ? ` (${phase})` : ""}`;
}

/** Show an error in the words of the command line; if it concerns a dropper, mark it in the drawing. */
function refuse(error, kind = "") {
  const close = el("button", { type: "button", "aria-label": "Close", onclick: () => $("findings").replaceChildren() }, "✕");
  $("findings").replaceChildren(el("p", { class: kind }, el("span", {}, error.message.replace(/^(line|request|run)\n\s*/, "")), close));
  const place = error.problems?.[0]?.place;
  if (place?.dropper) editor.blame(place);
}

function choose(selected) {
  if (JSON.stringify(selected) === JSON.stringify(state.selected)) return;
  state.selected = selected;
  for (const mark of document.querySelectorAll(".chosen")) mark.classList.remove("chosen");
  document.activeElement?.classList?.add("chosen");
  showInspector();
  changed("selected");
}

/** Open the run of a line that has just been made, with the notes of its making. */
async function created({ path, notes }) {
  await refresh(path);
  state.notes = notes;
  showInspector();
}

async function refresh(path) {
  listing = await get("project");
  $("project").textContent = listing.name;
  studies.list(listing);
  starter.list(listing).catch(refuse);
  if (path) await openFile(path);
  showFrame();
  if (state.view === "results") results.show(listing); // it lists the results that are kept
}

async function openFile(path) {
  if ((lineDirty() || (runDirty() && state.runPath)) && !(await ask("There are unsaved changes. Discard them?", {}, () => ({})))) return;
  await read(path);
}

/** Read a file; until it is there the drawing says so. */
async function read(path) {
  reading = path.replace(/^shipped:\w+\//, "").replace(/\.toml$/, "");
  if (!state.drawing) draw();
  try {
    await open(path, listing);
  } finally {
    reading = "";
    if (!state.drawing) draw();
  }
}

function showFrame() {
  showLibrary(listing, { start: () => show("start"), open: (p) => openFile(p).catch(refuse), study: (p) => { studies.choose(p); show("study"); }, refresh, refuse });
  const dirty = (lineDirty() || runDirty()) ? " •" : "";
  const name = [state.runPath || (state.run ? "new run" : ""), state.linePath].filter(Boolean).map((p) => p.replace(/^shipped:\w+\//, "").replace(/\.toml$/, "")).join(" · ");
  $("opened").textContent = name + dirty;
  $("undo").disabled = !state.undo.length;
  $("redo").disabled = !state.redo.length;
  $("save").disabled = !state.line || !(dirty || typing() || changing());
  $("start").disabled = $("keep").disabled = $("part").disabled = $("before").disabled = $("after").disabled = $("whole").disabled = $("goto").disabled = !state.line;
  $("places-label").hidden = !state.drawing?.chainage;
}

function show(view) {
  state.view = view;
  for (const name of VIEWS) {
    $(`view-${name}`).hidden = name !== view;
    $(`tab-${name}`).setAttribute("aria-selected", String(name === view));
    $(`tab-${name}`).tabIndex = name === view ? 0 : -1;
  }
  if (view === "line") draw();
  if (view === "results") results.show(listing);
  showAnimation();
  changed("view");
}

function draw() {
  along.origin = results.origin = state.places === "chainage" ? state.drawing?.chainage || 0 : 0;
  editor.draw();
  overview.draw();
  showForce();
  const d = state.drawing?.droppers || [];
  const e = state.drawing?.elasticity, scale = e ? Math.max(...d.map((one) => one.force), 1) / Math.max(...e.value) : 1;
  const bars = { name: "static dropper force", x: d.map((one) => one.x), y: d.map((one) => one.force), bars: true, color: "var(--c3)" };
  const curve = e ? [{ name: `elasticity of span ${e.span + 1}: ${(1000 * Math.min(...e.value)).toFixed(2)} … ${(1000 * Math.max(...e.value)).toFixed(2)} mm/N (scaled)`, x: e.x, y: e.value.map((v) => v * scale), color: "var(--c2)", unread: true }] : [];
  const ghost = state.drawingBefore ? [{ name: "", x: state.drawingBefore.x, y: state.drawingBefore.y, bars: true, pale: true, width: 9 }] : [];
  statics.show([...ghost, bars, ...curve], { masts: state.drawing?.mast_x, extent: state.drawing ? editor.window() : undefined });
}

function showForce() {
  const marks = forceMarks();
  force.show(forceSeries(live), { ...marks, extent: state.drawing ? editor.window() : undefined });
}

async function redraw() {
  if (!state.line) return;
  const number = ++drawn, span = shownSpan();
  $("elevation").setAttribute("aria-busy", "true");
  try {
    const drawing = await post("draw", { line: state.line, first: state.first, count: DRAWN, ...(span === undefined ? {} : { span }) });
    if (number !== drawn) return false;
    const old = state.drawing?.droppers;
    state.drawingBefore = old && state.drawing.first === drawing.first ? { x: old.map((d) => d.x), y: old.map((d) => d.force) } : null;
    state.drawing = drawing;
    bound(drawing.mast_x);
    editor.wrong = null;
    $("findings").replaceChildren();
    clearTimeout(checking);
    checking = setTimeout(findings, QUIET);
  } catch (error) {
    if (number === drawn) refuse(error);
  }
  draw();
  await showInspector();
  if (number === drawn) $("elevation").removeAttribute("aria-busy");
  return number === drawn;
}

/** Number of the span whose elasticity is shown: the chosen one, or the one in the middle of the view. */
function shownSpan() {
  const chosen = state.selected, spans = state.drawing?.spans || [], middle = along.window && (along.window[0] + along.window[1]) / 2;
  const one = spans.find((s) => s.tension_length === chosen?.tension_length && s.span === chosen?.span && (!along.window || (s.x + s.length > along.window[0] && s.x < along.window[1])));
  return (one || spans.find((s) => middle >= s.x && middle < s.x + s.length))?.number;
}

/** Set the visible range: the whole line, or the first spans of a long one. */
function bound(x) {
  const all = String(along.window) === String(along.bounds);
  along.bounds = [x[0] - 2, x.at(-1) + 2];
  if (along.window && all) along.window = along.bounds;
  if (!along.window && x.length > DRAWN + 1) along.window = [x[0] - 2, x[SEEN] + 2];
}

/** The spans of a long line that come into view are drawn. */
along.follow = () => {
  state.window = along.window;
  const x = state.drawing?.mast_x, window = along.window;
  if (!window || x.length <= DRAWN + 1) return;
  const from = x.findIndex((v) => v > window[0]) - 1, beyond = x.findIndex((v) => v >= window[1]), to = beyond < 0 ? x.length - 1 : beyond;
  if (from >= state.first && to <= state.first + DRAWN) return;
  const first = Math.max(0, Math.min(Math.round((from + to - DRAWN) / 2), x.length - 1 - DRAWN));
  if (first === state.first) return;
  state.first = first;
  clearTimeout(following);
  following = setTimeout(redraw, DEBOUNCE);
};

/** Run on opening, except for a long line whose run has no end. */
function firstRun() {
  const { stop, duration } = state.run.journey || {}, spans = (state.drawing?.mast_x.length || 1) - 1;
  if (spans > DRAWN && stop === undefined && duration === undefined) {
    state.automatic = false;
    showRun(listing);
    refuse({ message: `This line has ${spans} spans, so a full run takes a while. "Run this part" runs and assesses only the visible spans; "Run" runs the whole line.` }, "told");
  } else if (state.automatic) return start();
}

/** Run only under the visible spans, so that a long line can be edited and assessed part by part. */
async function runPart() {
  const x = state.drawing.mast_x, [a, b] = editor.window(), span = x[1] - x[0], { duration, ...rest } = state.run.journey || {};
  const begin = Math.max(x[0] + span / 2, a - LEAD), from = Math.max(a, begin + LEAD), to = Math.min(Math.max(b, from + 2 * span), x.at(-1) - span);
  const m = (v) => `${v.toFixed(1)} m`, stop = Math.min(to + span, x.at(-1) - span / 2);
  await editRun(["journey"], { ...rest, start: m(begin), stop: m(stop), judged_from: m(from), judged_to: m(to) });
  if (!state.automatic) await start();
}

/** Show the findings of panhead line check in a fold, each with its place and remedy. */
async function findings() {
  const number = drawn, speed = state.run?.speed;
  const said = await post("findings", { line: state.line, ...(speed ? { speed } : {}) }).catch(() => ({ findings: [] }));
  const found = said.findings.filter((f) => f.level !== "note");
  if (!found.length || number !== drawn || $("findings").childElementCount) return;
  const rows = found.map((f) => el("li", {}, `${f.place}: ${f.words}. ${f.remedy}`));
  const wrong = found.filter((f) => f.level === "wrong").length;
  $("findings").replaceChildren(el("details", { class: "told" }, el("summary", {}, `Line check: ${wrong} wrong, ${found.length - wrong} doubtful`), el("ul", {}, ...rows)));
}

/** Ask for a run; of several asked for at once the last one counts, and none overtakes another. */
function start(keep = "") {
  later(null);
  const mine = ++started;
  asking = asking.then(() => (keep || mine === started) && submit(keep)).then(() => { submitted++; showBusy(); });
  showBusy();
  return asking;
}

/** Ask for a run in a moment, instead of any that was to be asked for; null: for none. */
function later(act) {
  clearTimeout(timer);
  timer = act ? setTimeout(act, DEBOUNCE) : 0;
  showBusy();
}

/** True while the verdict for what is on the page is pending. */
const awaited = () => Boolean(timer) || submitted < started || running;
const showBusy = () => $("verdict").setAttribute("aria-busy", String(awaited()));

async function submit(keep) {
  await settled();
  if (!state.line) return;
  const { opening } = state;
  try {
    const asked = { run: state.run, path: shipped(state.runPath) ? "" : state.runPath, page, keep, line: state.line };
    const { task, ready } = await post("run", asked);
    if (opening !== state.opening) return; // another file has been opened meanwhile
    state.task = task;
    document.body.dataset.task = String(task);
    $("progress-words").textContent = ready ? "" : "starting";
    if (!ready) refuse({ message: "Panhead is starting. On a new machine it compiles its kernels once, which takes a minute or two. The verdict then appears automatically." }, "told ready");
    $("progress").value = 0;
    showRunning();
    showVerdict(true, pending(""));
    changed("task");
    await catchUp(); // it may have ended before it was known here
  } catch (error) {
    refuse(error);
  }
}

const showAnimation = () => { if (state.view === "animation") animation.load(running ? $("progress").value : null); };

function showRunning() {
  running = true;
  showAnimation();
  showPending();
  $("stop").hidden = $("progress").hidden = false;
  $("start").hidden = true;
  showBusy();
}

/** Where there is no result yet, the progress of the run stands. */
function showPending() {
  if (state.result) return;
  showVerdict(true, pending(""));
  if (!live.length) showForce();
  if (state.view === "results") results.show(listing);
}

function ended() {
  live = [];
  running = false;
  showBusy();
  if ($("findings").querySelector(".ready")) $("findings").replaceChildren();
  $("stop").hidden = $("progress").hidden = true;
  $("start").hidden = false;
  $("progress-words").textContent = "";
  showAnimation();
}

function finished(task, answer) {
  if (answer.verdict !== undefined || answer.sentence) {
    if (state.resultTask !== task && state.result?.curves?.some((c) => c.force)) state.before = state.result;
    state.result = answer;
    state.resultTask = task;
  }
  ended();
  showVerdict(awaited());
  showForce();
  if (state.view === "results") results.show(listing);
  if (answer.stopped || answer.failed) refuse({ message: answer.sentence }, "told");
  if (!answer.stopped) arrows.ask();
  changed("result");
  document.body.dataset.result = String(task);
}

function heard(event) {
  if (event.event === "files") return void refresh("");
  if (event.name === "study") return studies.heard(event);
  if (event.name === "gradient") return arrows.heard(event);
  if (event.name !== "run" || event.task !== state.task || event.replaced) return;
  const { task } = event;
  if (event.event === "progress") {
    $("progress").value = event.share;
    showAnimation();
    $("progress-words").textContent = event.words;
    showPending();
  } else if (event.event === "live") {
    for (const [k, x] of event.x.entries()) {
      const one = (live[k] ??= { x: [], force: [] });
      one.x.push(...x);
      one.force.push(...event.force[k]);
    }
    showForce();
  } else if (event.event === "verdict") finished(task, { ...event, event: undefined });
  else if (event.event === "done") {
    if (event.aside && state.resultTask !== task) get(`task/${task}`).then((t) => finished(task, t.answer)).catch(refuse); // loaded meanwhile
    if (event.curves) finished(task, { criteria: [], rows: [], details: [], ...event });
    if (event.kept) refresh("");
  } else if (["refused", "failed"].includes(event.event)) {
    ended();
    showVerdict(true);
    refuse({ message: event.text, problems: event.problems });
  }
}

/** Fetch the state of the last run after missed events. */
async function catchUp() {
  if (!state.task || state.task === state.resultTask) return;
  const found = await get(`task/${state.task}`);
  if (found.task !== state.task || state.task === state.resultTask) return;
  if (found.answer.curves) finished(found.task, found.answer);
  else if (["refused", "failed"].includes(found.state)) heard({ ...found.answer, event: found.state, name: "run", task: found.task });
}

/** Write what has changed: the line into its file, the run into its own; what is shipped gets a name of its own first. */
async function save() {
  await settled();
  const inline = state.run && state.run.line && typeof state.run.line !== "string";
  const asks = {};
  if (lineDirty() && !inline && shipped(state.linePath)) asks.line = { label: "Name of the line", value: `my-${stem(state.linePath) || "line"}` };
  if ((runDirty() || asks.line) && shipped(state.runPath)) asks.run = { label: "Name of the run", value: `my-${stem(state.runPath) || "run"}` };
  if (Object.keys(asks).length) {
    if (!(await ask("Save in the project", asks, (names) => write(names, inline)))) return;
  } else await write({}, inline);
  await refresh("");
}

async function write(names, inline) {
  if (lineDirty() && !inline) {
    const path = names.line ? named(names.line) : state.linePath;
    const made = await post("save", { path, raw: state.line, mark: names.line ? null : state.lineMark });
    Object.assign(state, { line: made.raw, linePath: made.path, lineMark: made.mark, lineSaved: JSON.stringify(made.raw) });
    if (names.line) state.run.line = relative(made.path, names.run ? named(names.run) : state.runPath);
  }
  if (inline) state.run.line = state.line;
  if (names.run || (runDirty() && state.runPath && !shipped(state.runPath))) {
    const path = names.run ? named(names.run) : state.runPath;
    const made = await post("save", { path, raw: state.run, mark: names.run ? null : state.runMark });
    Object.assign(state, { run: made.raw, runPath: made.path, runMark: made.mark, runSaved: JSON.stringify(made.raw) });
  }
  changed("saved");
  return {};
}

const stem = (path) => path.split(/[/:]/).pop().replace(/\.toml$/, "");
const relative = (path, from) => "../".repeat(from.split("/").length - 1) + path;

onChange((what) => {
  if (["line", "run", "opened"].includes(what)) {
    if (what === "opened") {
      along.window = null;
      delete document.body.dataset.result;
      ended(); // whatever runs belongs to another file
      if (state.view === "start") show("line");
    }
    arrows.forget();
    if (what !== "run") redrawn = redraw();
    showRun(listing);
    showVerdict(Boolean(state.result), pending(""));
    later(state.automatic && what !== "opened" ? () => start() : null);
    if (what === "opened") redrawn.then((mine) => mine && firstRun()).catch(refuse);
  }
  if (what === "automatic") showRun(listing);
  if (what === "overlays") { results.show(listing); showForce(); }
  if (what !== "selected" && what !== "view") showFrame();
});

function wire() {
  $("undo").onclick = () => step("undo", "redo");
  $("redo").onclick = () => step("redo", "undo");
  $("save").onclick = () => save().catch(refuse);
  $("start").onclick = () => start();
  $("stop").onclick = () => post("stop", { task: state.task }).catch(refuse);
  $("keep").onclick = async () => {
    const found = await ask("Run and keep the result", { keep: { label: "Folder in out/", value: stem(state.runPath) || "run" } });
    if (found?.keep) await start(found.keep);
  };
  $("together").onchange = () => { state.together = $("together").checked; changed("selected"); };
  $("arrows").onchange = () => arrows.ask();
  $("places").onchange = () => { state.places = $("places").value; draw(); if (state.view === "results") results.show(listing); changed("view"); };
  $("goto").onchange = () => { goTo($("goto").value); $("goto").select(); };
  $("exaggeration").onchange = () => editor.draw();
  $("whole").onclick = () => along.look(state.drawing?.mast_x.length > DRAWN + 1 ? along.bounds : null);
  $("part").onclick = () => runPart().catch(refuse);
  const pan = (way) => () => { const [a, b] = editor.window(), by = way * 0.5 * (b - a); along.look([a + by, b + by]); };
  $("before").onclick = pan(-1);
  $("after").onclick = pan(1);
  $("theme").onclick = nextTheme;
  dark.onchange = () => showTheme();
  for (const [k, name] of VIEWS.entries()) {
    $(`tab-${name}`).onclick = () => show(name);
    $(`tab-${name}`).onkeydown = (e) => {
      const by = { ArrowRight: 1, ArrowLeft: VIEWS.length - 1 }[e.key];
      if (by) { const next = VIEWS[(k + by) % VIEWS.length]; show(next); $(`tab-${next}`).focus(); }
    };
  }
  document.querySelector("aside").addEventListener("input", showFrame); // what is being typed can be saved
  document.querySelector("aside").addEventListener("change", () => settled().then(showFrame));
  document.addEventListener("keydown", (e) => {
    if (!(e.ctrlKey || e.metaKey) || $("ask").open) return;
    const key = e.key.toLowerCase(), acts = { s: save, enter: () => start(), z: () => (e.shiftKey ? step("redo", "undo") : step("undo", "redo")), y: () => step("redo", "undo") };
    if (!acts[key] || (["z", "y"].includes(key) && typing())) return; // letters that are being typed are the browser's to take back
    e.preventDefault();
    takeTyped();
    settled().then(acts[key]).catch(refuse);
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** The theme of the system, also when it changes while the page is open, or the one chosen here. */
function showTheme() {
  const chosen = sessionStorage.getItem("panhead-theme") || "";
  document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
  $("theme").textContent = { "": "◐", light: "☀", dark: "☾" }[chosen];
  $("theme").ariaLabel = $("theme").title = `Colours: ${chosen || "as the system"}`;
  draw();
}

/** As the system, then the other one, then the one that the system has, and back. */
function nextTheme() {
  const ways = ["", dark.matches ? "light" : "dark", dark.matches ? "dark" : "light"], now = ways.indexOf(sessionStorage.getItem("panhead-theme") || "");
  sessionStorage.setItem("panhead-theme", ways[(now + 1) % 3]);
  showTheme();
}

/** Move the view to a mast, a chainage or a place in metres from the first mast. */
function goTo(words) {
  const x = placeOf(words);
  if (x === null) return words.trim() && refuse({ message: `There is no mast, chainage or place "${words.trim()}" on this line. Write the name of a mast, km+m (12+345) or metres.` });
  const [a, b] = editor.window(), wide = Math.min(b - a, 6 * (state.drawing.mast_x[1] - state.drawing.mast_x[0]));
  along.look([x - wide / 2, x + wide / 2]);
  along.point(x);
}

async function begin() {
  wire();
  showTheme();
  listen(page, heard, () => catchUp().catch(refuse));
  await refresh("");
  const known = restore();
  along.window = state.window;
  $("together").checked = state.together;
  $("places").value = state.places;
  const wanted = new URLSearchParams(location.hash.slice(1)).get("open"), files = listing.files.filter((f) => f.kind === "run" || f.kind === "line");
  if (!known && !wanted && !files.length) state.view = "start";
  show(state.view);
  showVerdict(false);
  if (known) {
    await Promise.all([redraw(), showRun(listing), again()]);
  } else if (wanted) await read(wanted);
  else if (files.length) await read((files.find((f) => f.kind === "run") || files[0]).path);
  else showInspector();
  showFrame();
  document.body.dataset.ready = "yes";
}

/** After a reload: what had been asked for is still there, or is asked for again. */
async function again() {
  for (const o of state.overlays) o.answer = await (o.path ? post("open", { path: o.path }) : get(`task/${o.task}`).then((t) => t.answer)).catch(() => null);
  state.overlays = state.overlays.filter((o) => o.answer);
  if (!state.task) return;
  try {
    const found = await get(`task/${state.task}`);
    if (found.state === "running" || found.state === "waiting") showRunning();
    else if (found.answer.curves) finished(found.task, found.answer);
  } catch {
    if (state.automatic) await start();
  }
}

begin().catch(refuse);
