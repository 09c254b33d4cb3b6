// Start page: four ways to a line of one's own, and what to do next.
import { get, post } from "./api.js";
import { $, el, field } from "./dom.js";
import { named } from "./library.js";

const WAYS = [
  ["template", "From a template", "Answer a few questions: type, spans, tensions. Every answer has a usual value."],
  ["tables", "From tables", "Mast and dropper tables of a drawing office, CSV or Excel."],
  ["survey", "From a survey", "Measured wire heights: finds the dropper lengths of a line as built."],
  ["shipped", "A shipped line", "A copy of a line that comes with Panhead, or a line of a real design."],
];
const FIRST = ["type", "spans", "span", "contact_tension", "messenger_tension", "stagger"]; // asked at once; the rest is folded
const LARGEST = 6e6; // bytes of all files together
// what is an option in a terminal is a field here
const OPTIONS = [["--columns", "columns with other names:"], ["--units", "units:"], ["--base", "wires and supports"], ["--noise", "noise of the heights"], ["--bias", "an error that drifts along the line (in a terminal: --bias)"]];
const NEXT = [
  ["See the line", "It is drawn and run at once. The verdict stands at the top, with the limit that decides it."],
  ["Change it", "Drag a dropper or a mast, or type into the fields on the right. The run repeats after each change."],
  ["Read the result", "Results has the assessment, force, uplift and spectrum; hold a run to compare it with the next."],
  ["Save and print", "Save writes the files of the project. Results gives a report to print and the data as CSV."],
];

export class Start {
  constructor({ opened, refuse }) {
    Object.assign(this, { opened, refuse, way: "template", listing: { files: [], shipped: [] }, busy: 0 });
    this.host = $("view-start");
    this.host.classList.add("scrolls");
    this.ways = el("div", { id: "ways", role: "radiogroup", "aria-label": "Where the line comes from" },
      ...WAYS.map(([way, title, about]) => el("button", { type: "button", role: "radio", id: `way-${way}`, "aria-checked": "false", onclick: () => this.choose(way), onkeydown: (e) => this.key(e) }, el("b", {}, title), el("span", {}, about))));
    this.form = el("form", { id: "start-form", novalidate: true, onsubmit: (e) => { e.preventDefault(); this.create(); } });
    this.host.replaceChildren(el("h2", { class: "large" }, "Start with a line"), this.ways, this.form,
      el("h3", {}, "What comes next"), el("ol", { id: "next" }, ...NEXT.map(([title, words]) => el("li", {}, el("b", {}, title), ` ${words}`))));
  }

  async list(listing) {
    const now = JSON.stringify([listing.files, listing.shipped]);
    if (now === this.shown) return; // what is being filled in stays
    this.shown = now;
    this.listing = listing;
    this.questions ??= await get("questions");
    this.choose(this.way, false);
  }

  key(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = WAYS.findIndex(([way]) => way === this.way), next = WAYS[(at + by + WAYS.length) % WAYS.length][0];
    this.choose(next);
    $(`way-${next}`).focus();
  }

  choose(way, fresh = true) {
    this.way = way;
    for (const [name] of WAYS) {
      $(`way-${name}`).setAttribute("aria-checked", String(name === way));
      $(`way-${name}`).tabIndex = name === way ? 0 : -1;
    }
    if (this.questions && (fresh || !this.form.childElementCount)) this.fill();
    else if (this.questions) this.refreshChoices();
  }

  lines() {
    const mine = this.listing.files.filter((f) => f.kind === "line").map((f) => ({ value: f.path, label: f.path.replace(/\.toml$/, "") }));
    return [...mine, ...["line", "design"].flatMap((kind) => this.listing.shipped.filter((f) => f.kind === kind).map((f) => ({ value: f.path, label: `${kind === "line" ? "shipped" : "design"}: ${f.name}`, about: f.about })))];
  }

  fill() {
    this.inputs = {};
    const pantographs = [...this.listing.files, ...this.listing.shipped].filter((f) => ["pantograph", "linkage"].includes(f.kind)).map((f) => (f.path.startsWith("shipped:") ? f.name : f.path));
    const own = { template: () => this.template(), tables: () => this.tables(), survey: () => this.survey(), shipped: () => this.shippedLines() }[this.way]();
    this.said = el("p", { id: "start-said", class: "wrong", role: "alert" });
    this.button = el("button", { type: "submit", id: "create", class: "primary" }, "Create and open");
    const run = el("fieldset", {}, el("legend", {}, "First run"),
      this.select("pantograph", "pantograph", pantographs.map((p) => ({ value: p, label: p })), this.questions.pantograph),
      this.text("speed", "speed", this.questions.speed));
    const line = el("fieldset", {}, el("legend", {}, "Line"), this.text("name", "name", this.freeName()), ...own.line);
    this.form.replaceChildren(
      el("div", { class: "columns" }, ...(own.more ? [el("div", {}, line, run), el("fieldset", {}, el("legend", {}, own.title), ...own.more)] : [line, run])),
      el("div", { class: "buttons" }, this.button, this.wait = el("span", { class: "quiet", role: "status" })), this.said);
  }

  /** New files have come: lists of lines follow, what has been filled in stays. */
  refreshChoices() {
    for (const key of ["base", "line", "path"]) {
      const control = this.inputs?.[key];
      if (!control) continue;
      const now = control.value, none = key === "base" ? [control.options[0]] : [];
      control.replaceChildren(...none, ...this.lines().filter((o) => key !== "path" || o.about !== undefined).map((o) => el("option", { value: o.value }, o.label)));
      control.value = now;
    }
  }

  freeName() {
    const taken = new Set(this.listing.files.map((f) => f.path));
    for (let k = 1; ; k++) {
      const name = k > 1 ? `my-line-${k}` : "my-line";
      if (!taken.has(`${name}.toml`) && !taken.has(`${name}-run.toml`)) return name;
    }
  }

  text(key, label, value, about = "") {
    const control = this.inputs[key] = el("input", { type: "text", spellcheck: "false", value });
    return field(label, control, { about, path: `start:${key}` });
  }

  select(key, label, options, value) {
    const control = this.inputs[key] = el("select", {}, ...options.map((o) => el("option", { value: o.value }, o.label)));
    if (value !== undefined) control.value = value;
    return field(label, control, { path: `start:${key}` });
  }

  file(key, label, { several = false } = {}) {
    const control = this.inputs[key] = el("input", { type: "file", accept: ".csv,.txt,.tsv,.xlsx", multiple: several });
    return field(label, control, { path: `start:${key}` });
  }

  template() {
    const box = { line: el("div"), more: el("div") };
    const show = () => {
      const type = this.inputs.type?.value || "simple", rows = this.questions.line.filter((q) => q.defaults[type] !== undefined);
      const control = (q) => (q.choices.length ? this.select(q.key, q.words, q.choices.map((c) => ({ value: c, label: c })), q.key === "type" ? type : q.defaults[type]) : this.text(q.key, q.words, q.defaults[type]));
      for (const q of this.questions.line) delete this.inputs[q.key];
      box.line.replaceChildren(...rows.filter((q) => FIRST.includes(q.key)).sort((a, b) => FIRST.indexOf(a.key) - FIRST.indexOf(b.key)).map(control));
      box.more.replaceChildren(...rows.filter((q) => !FIRST.includes(q.key)).map(control));
      this.inputs.type.addEventListener("change", () => { show(); this.inputs.type.focus(); });
    };
    show();
    return { line: [box.line], title: "Dimensions", more: [box.more] };
  }

  tables() {
    const none = { value: "", label: "in the tables themselves" };
    return {
      line: [this.file("masts", "masts (or a workbook)"), this.file("droppers", "droppers"), this.file("keys", "other keys"),
        this.select("base", "wires and supports", [none, ...this.lines()], "shipped:line/en50318-2002"),
        this.text("columns", "columns with other names", "", "Lage quer=stagger, Nr= (empty: not used)"),
        this.text("units", "units, where the tables give none", "", "stagger=mm, chainage=km"),
        el("p", { class: "quiet" }, "One row per mast: mast, chainage or span, contact_height, stagger. Droppers: span, position, length. Units in a second row or behind the name: stagger [mm]. " +
          "Names in German, French, Spanish and Italian are known. Columns with other names: Lage quer=stagger, Nr= (nothing behind the sign: not used).")],
    };
  }

  survey() {
    return {
      line: [this.file("surveys", "survey, one file per pass", { several: true }), this.select("line", "line as designed", this.lines()),
        this.text("columns", "columns with other names", ""), this.text("units", "units, where the survey gives none", ""), this.text("noise", "noise of the heights", "2 mm"), this.text("tolerance", "usual error of a dropper", "10 mm"),
        el("p", { class: "quiet" }, "One row per measured place: chainage, height, and stagger if it was measured. The design says where masts and droppers are; the survey, how long the droppers are. " +
          "A long line takes some minutes.")],
    };
  }

  shippedLines() {
    const lines = this.lines().filter((o) => o.about !== undefined), about = el("p", { class: "quiet", id: "about-line" });
    const chosen = this.select("path", "line", lines, "shipped:line/en50318-2002");
    const show = () => { about.textContent = lines.find((o) => o.value === this.inputs.path.value)?.about || ""; };
    this.inputs.path.addEventListener("change", show);
    show();
    return { line: [chosen, about] };
  }

  /** Create the files and open the run; an error stands below the form. */
  async create() {
    if (this.busy) return;
    const begin = Date.now(), words = { template: "Creating the line", tables: "Reading the tables", survey: "Fitting the survey", shipped: "Copying the line" }[this.way];
    const tick = () => { this.wait.textContent = `${words}… ${Math.round((Date.now() - begin) / 1000)} s`; };
    this.said.textContent = "";
    this.button.disabled = true;
    this.busy = setInterval(tick, 500);
    tick();
    try {
      const made = await post(...(await this.message()));
      this.shown = "";
      await this.opened(made);
      this.fill();
    } catch (error) {
      this.said.textContent = OPTIONS.reduce((words, [option, name]) => words.replaceAll(option, name), error.message.replace(/^request\n\s*/, ""));
      this.said.scrollIntoView({ block: "nearest" });
    } finally {
      clearInterval(this.busy);
      this.busy = 0;
      this.button.disabled = false;
      this.wait.textContent = "";
    }
  }

  async message() {
    const value = (key) => this.inputs[key].value.trim();
    if (!value("name")) throw new Error("The line needs a name.");
    const all = { to: named(value("name")), pantograph: value("pantograph"), speed: value("speed") };
    if (this.way === "template") {
      const keys = this.questions.line.map((q) => q.key).filter((key) => this.inputs[key]);
      return ["new_line", { ...all, answers: Object.fromEntries(keys.map((key) => [key, value(key)])) }];
    }
    if (this.way === "shipped") return ["copy_line", { ...all, path: value("path") }];
    const files = async (key) => Promise.all([...this.inputs[key].files].map(upload));
    if (this.way === "survey") {
      const surveys = await files("surveys");
      if (!surveys.length) throw new Error("Choose the file of the survey.");
      return ["fit_survey", { ...all, surveys: small(surveys), line: value("line"), columns: value("columns"), units: value("units"), noise: value("noise"), tolerance: value("tolerance") }];
    }
    const [masts, droppers, keys] = await Promise.all(["masts", "droppers", "keys"].map(async (key) => (await files(key))[0]));
    if (!masts) throw new Error("Choose the table of masts.");
    small([masts, droppers, keys].filter(Boolean));
    return ["import_tables", { ...all, masts, ...(droppers ? { droppers } : {}), ...(keys ? { keys } : {}), base: value("base"), columns: value("columns"), units: value("units") }];
  }
}

/** Name and content of a chosen file. */
async function upload(file) {
  if (file.size > LARGEST) throw new Error(`${file.name} is larger than ${LARGEST / 1e6} MB; use panhead line import in a terminal.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return { name: file.name, content: btoa(text) };
}

function small(files) {
  if (files.reduce((sum, file) => sum + 0.75 * file.content.length, 0) > LARGEST) throw new Error(`The files are larger than ${LARGEST / 1e6} MB together; use a terminal: panhead line import, panhead line fit.`);
  return files;
}
