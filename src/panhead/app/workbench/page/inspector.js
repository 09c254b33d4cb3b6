// Inspector: fields of the selected part. Labels, units and help texts come from the schema of a line.
import { get } from "./api.js";
import { $, el, field, onTyped, refill, round } from "./dom.js";
import { chainage, figure } from "./chart.js";
import { same } from "./editor.js";
import { asMetres } from "./places.js";
import { editLine, state } from "./state.js";

const WHOLE = [
  ["name"], ["contact_height"], ["presag"], ["support", "encumbrance"], ["support", "stagger"], ["uplift_space"], ["supply"],
  ["wires", "contact", "tension"], ["wires", "contact", "mass_per_length"], ["wires", "contact", "bending_stiffness"],
  ["wires", "messenger", "tension"], ["wires", "messenger", "mass_per_length"],
  ["wires", "auxiliary", "tension"], ["wires", "stitch", "wire", "tension"], ["dropper", "stiffness"],
];
const PLACES = ["journey.start", "journey.stop", "journey.judged_from", "journey.judged_to"];
const schemas = {};
let folded = false;

export async function schemaOf(kind) {
  return (schemas[kind] ??= await get(`schema/${kind}`));
}

/** Unit, description, choices and default of a path in the schema. */
export function told(schema, path) {
  const open = (node) => {
    while (node?.$ref) node = schema.$defs[node.$ref.split("/").pop()];
    return node || {};
  };
  let node = schema;
  for (const key of path) {
    node = open(node);
    const ways = [node, ...(node.anyOf || []).map(open), ...(node.prefixItems || [])];
    const next = ways.map((way) => (typeof key === "number" ? way.items : way.properties?.[key])).find(Boolean);
    if (!next) return {};
    node = typeof next === "object" ? { description: open(next).description, ...next } : {};
  }
  const ways = [node, open(node), ...(node.anyOf || []).map(open)].flatMap((way) => [way, ...(way.anyOf || []).map(open)]);
  return {
    unit: ways.map((way) => way.unit).find(Boolean) || "",
    about: node.description || "",
    choices: ways.map((way) => way.enum).find(Boolean),
    fallback: node.default,
  };
}

export const words = (path) => path.filter((p) => typeof p === "string").map((p) => p.replaceAll("_", " ")).join(", ");
export const reach = (raw, path) => path.reduce((place, key) => place?.[key], raw);

/** Field of plain data: pass its value to ``change``; show an error below it. */
export function plainField(raw, path, schema, scope, change, label) {
  const { unit, about, choices, fallback } = told(schema, path), value = reach(raw, path);
  const place = PLACES.includes(path.join("."));
  const control = choices
    ? el("select", {}, ...choices.map((c) => el("option", { value: c }, String(c))))
    : el("input", { type: "text", spellcheck: "false", placeholder: fallback === undefined || fallback === null ? "" : String(fallback) });
  control.value = value ?? (choices ? fallback ?? "" : "");
  onTyped(control, (found) => change(path, place ? asMetres(found) : found));
  const shown = place ? "metres from the first mast, a chainage (12+345) or the name of a mast. " : "";
  return field(label || words(path), control, { unit: unitShown(value ?? fallback, unit), about: shown + about, path: `${scope}:${path.join(".")}` });
}

/** The unit of what stands in a field: its own if it has one, else that of plain numbers. */
export function unitShown(value, unit) {
  const own = typeof value === "string" && /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*(\S.*)$/i.exec(value);
  return own && unit ? own[1].trim() : unit;
}

export async function showInspector() {
  const host = $("inspector");
  if (!state.line) return host.replaceChildren(el("p", { class: "quiet" }, "No line is open. Choose a run or a line on the left, or make one at Start."));
  const schema = await schemaOf("line"), chosen = state.selected;
  const set = (path, value) => editLine({ do: "set", path, value });
  const parts = [];
  if (state.drawing) parts.push(...partFields(chosen));
  const whole = el("details", { open: !folded, id: "whole-line", ontoggle: () => { folded = !whole.open; } }, el("summary", {}, "Whole line"),
    ...WHOLE.filter((p) => reach(state.line, p.slice(0, -1)) !== undefined).map((p) => plainField(state.line, p, schema, "line", set)));
  refill(host, [...parts, whole], showInspector);
}

function partFields(chosen) {
  const { droppers, masts, spans } = state.drawing;
  if (chosen?.type === "mast") {
    const m = masts.find((one) => same(chosen, one, "mast"));
    return m ? mastFields(m) : [];
  }
  const span = spans.find((s) => same({ ...chosen, type: "span" }, s, "span"));
  return chosen && span ? spanFields(span, droppers.filter((d) => d.tension_length === span.tension_length && d.span === span.span && d.piece === span.piece), chosen) : hint();
}

const hint = () => [
  ...(state.notes.length ? [el("h2", {}, "Notes on this line"), el("ul", { class: "notes" }, ...state.notes.map((words) => el("li", {}, words)))] : []),
  el("h2", {}, "What to do"),
  el("ul", { class: "notes" },
    el("li", {}, "Drag a dropper or a mast up or down, 1 mm per pixel; sideways, along the track."),
    el("li", {}, "Arrow keys do the same; with Shift ten times as far. Delete removes a dropper, a double click adds one."),
    el("li", {}, "Type values below or in the run above. A unit may be written: 20 kN, 30 mm."),
    el("li", {}, "Read the verdict at the top; Results has the details and the report."))];

function numberField(label, value, unit, edit, path) {
  const control = el("input", { type: "text", spellcheck: "false" });
  control.value = value === null ? "" : value;
  onTyped(control, (found) => editLine(edit(found)));
  return field(label, control, { unit, path });
}

function mastFields(m) {
  const edit = (key) => (value) => ({ do: "mast", tension_length: m.tension_length, mast: m.mast, [key]: value });
  const at = (key) => `mast:${m.tension_length}.${m.mast}.${key}`;
  return [el("h2", {}, `Mast ${m.name}`),
    numberField("contact height", round(m.contact_height), "m", edit("contact_height"), at("contact_height")),
    numberField("stagger", round(m.stagger), "m", edit("stagger"), at("stagger")),
    numberField("messenger stagger", round(m.messenger_stagger), "m", edit("messenger_stagger"), at("messenger_stagger")),
    numberField("lift", round(m.lift), "m", edit("lift"), at("lift")),
    el("p", { class: "quiet" }, `at ${figure(m.x)} m from the first mast${state.drawing.chainage ? `, km ${chainage(m.x + state.drawing.chainage, 1)}` : ""}`)];
}

function spanFields(span, droppers, chosen) {
  const where = () => ({ tension_length: span.tension_length, span: span.span, together: state.together }); // as it is when something changes
  const at = (key) => `span:${span.tension_length}.${span.span}.${key}`;
  const equal = span.equal > 1 ? `one of ${span.equal} equal spans` : "";
  const rows = droppers.filter((d) => d.lower !== "auxiliary").map((d) => dropperRow(d, where, chosen));
  return [el("h2", {}, `Span ${span.span + 1} of ${span.piece}`), el("p", { class: "quiet" }, [equal, span.repeats > 1 ? `in ${span.repeats} equal tension lengths` : ""].filter(Boolean).join(", ")),
    numberField("length", round(span.length), "m", (length) => ({ do: "span", ...where(), length }), at("length")),
    numberField(span.equal > 1 ? "equal spans" : "spans like this", span.equal, "", (count) => ({ do: "span", ...where(), count }), at("count")),
    numberField("pre-sag", round(span.presag, 5), "m", (presag) => ({ do: "span", ...where(), presag }), at("presag")),
    el("table", { "aria-label": "Droppers of the span" },
      el("thead", {}, el("tr", {}, ...["", "at (m)", "sag (mm)", "cut (m)", "± (mm)", "force (N)"].map((t, k) => el("th", { class: k ? "n" : null, scope: "col" }, t)))),
      el("tbody", {}, ...rows)),
    el("p", { class: "wrong", id: "dropper-wrong", role: "alert" })];
}

function dropperRow(d, where, chosen) {
  const cell = (label, value, edit, scale = 1) => {
    const control = el("input", { type: "text", "aria-label": `${label} of dropper ${d.dropper}`, "aria-describedby": "dropper-wrong", spellcheck: "false" });
    control.value = value;
    control.dataset.path = `dropper:${d.tension_length}.${d.span}.${d.dropper}.${label}`;
    const change = (found) => editLine({ do: "dropper", ...where(), dropper: d.dropper, [edit]: typeof found === "number" ? found * scale : found });
    onTyped(control, change, `dropper ${d.dropper}: `);
    return el("td", { class: "n" }, control);
  };
  return el("tr", { "aria-selected": same(chosen, d, "dropper") ? "true" : "false" },
    el("th", { scope: "row" }, String(d.dropper)),
    cell("position", round(d.position, 3), "position"),
    cell("sag", d.by_length ? "" : round(1000 * d.sag, 2), "sag", 0.001),
    cell("length", round(d.length, 4), "length"),
    cell("length error", round(1000 * d.error, 2), "length_error", 0.001),
    el("td", { class: d.force <= 0 ? "n bad" : "n" }, d.force.toFixed(1)));
}
