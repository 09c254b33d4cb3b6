// Results: verdict, table of criteria, linked charts, overlaid runs, downloads.
import { download, post } from "./api.js";
import { Chart, Link } from "./chart.js";
import { $, el } from "./dom.js";
import { changed, state } from "./state.js";

const COLORS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)"];
const SHORT = [["deviation", "σ"], ["mean_force", "mean"], ["actual_max", "maximum"], ["actual_min", "minimum"], ["uplift", "uplift"]];
const MOODS = { met: ["good", "✓ met"], "not met": ["bad", "✕ not met"], undecided: ["warning", "? undecided"], "for information": ["", "no limit"] };

const HEADLINES = { met: "✓ complies", "not met": "✕ does not comply", undecided: "? undecided" };

/** The criterion that decides a verdict, with its limit; "" if there is none. */
function reason({ verdict, criteria }) {
  const found = ["not met", "undecided"].includes(verdict) ? criteria.filter((c) => c.verdict === verdict) : [];
  if (!found.length) return "";
  const setting = (c) => Number(c.key.startsWith("mean_force")); // what the pantograph is set to comes after the contact
  found.sort((a, b) => setting(a) - setting(b));
  const [first] = found, name = Object.fromEntries(SHORT)[first.key] || first.name;
  const limit = first.limit === null ? "" : `, limit ${first.limit} ${first.unit}`;
  return `${name} ${first.value} ${first.unit}${limit}${found.length > 1 ? `, +${found.length - 1} more` : ""}`;
}

/** Verdict in the page header: compliance, the criterion that fails, five numbers. */
export function showVerdict(old, waiting = "") {
  const host = $("verdict"), answer = state.result;
  if (!answer) return host.replaceChildren(el("span", { class: "quiet" }, state.line ? (waiting ? `No verdict yet: ${waiting}` : "Not run yet") : "No line is open"));
  // the mean force is a setting: the headline is that of the contact, the setting stands beside it
  const verdict = answer.groups?.find((g) => g.group === "contact quality")?.verdict || answer.verdict;
  const [mood, plain] = MOODS[verdict] || ["warning", answer.stopped ? "stopped" : "failed"];
  const words = HEADLINES[verdict] || plain, beside = verdict === "met" && answer.verdict !== "met" ? "setting: " : "";
  const why = beside ? `${beside}${reason(answer)}` : reason({ ...answer, verdict });
  const found = SHORT.flatMap(([key, name]) => {
    const rows = answer.criteria.filter((c) => c.key === key), worst = rows.find((c) => c.verdict === "not met") || rows[0];
    return worst ? [el("span", { class: worst.verdict === "not met" ? "number wrong" : "number", title: worst.name, "data-key": key }, el("b", {}, `${worst.value} ${worst.unit}`), el("span", {}, name))] : [];
  });
  host.classList.toggle("old", Boolean(old));
  host.replaceChildren(el("span", { class: `word ${mood}`, title: answer.sentence }, el("span", {}, words), why ? el("small", {}, why) : null), el("span", { class: "numbers" }, ...found));
}

/** Curves of the contact force: this run, the previous one (pale) and overlaid results. */
export function forceSeries(live) {
  const series = [], before = state.before?.curves || [], now = state.result?.curves || [];
  for (const c of before) if (c.force) series.push({ name: series.length ? "" : "before", ...c.force, pale: true });
  for (const [k, o] of state.overlays.entries()) {
    for (const c of o.answer?.curves || []) series.push({ name: o.name, ...(c.force || c.raw), color: COLORS[(k + 1) % COLORS.length], width: 1.2 });
  }
  if (live?.length) for (const one of live) series.push({ name: "running", x: one.x, y: one.force, color: "var(--c3)", width: 1 });
  else for (const [k, c] of now.entries()) series.push({ name: now.length > 1 ? c.name : "up to 20 Hz", ...(c.force || c.raw), color: k ? COLORS[(k + 2) % 5] : COLORS[0] });
  return series;
}

export function forceMarks() {
  const limit = state.result?.criteria?.find((c) => c.key === "actual_max" && c.limit !== null);
  return {
    masts: state.drawing?.mast_x || state.result?.line?.masts, band: state.result?.curves?.[0]?.judged,
    limits: limit ? [{ y: Number(limit.limit), words: `limit ${limit.limit} N` }] : [],
  };
}

/** A held run by what one looks for: its number, speed and tension of the contact wire. */
function heldName() {
  const number = 1 + Math.max(0, ...state.overlays.map((o) => Number(/^held (\d+)/.exec(o.name)?.[1] || 0)));
  const plain = (value, unit) => (typeof value === "number" ? `${value} ${unit}` : value), known = [plain(state.run.speed, "m/s"), plain(state.line.wires?.contact?.tension, "N")].filter(Boolean);
  return `held ${number}${known.length ? ` (${known.join(", ")})` : ""}`;
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

export class Results {
  constructor(link, refuse, refresh) {
    Object.assign(this, { link, refuse, refresh, frequency: new Link(), local: new Link(), waiting: () => "" });
    this.host = $("view-results");
    this.host.classList.add("scrolls");
    const boxes = Object.fromEntries(["force", "uplift", "droppers", "supports", "spectrum", "elasticity"].map((n) => [n, el("div", { class: n === "force" ? "tall" : "" })]));
    this.top = el("div");
    this.table = el("div");
    this.boxes = boxes;
    this.host.replaceChildren(this.top, boxes.force, boxes.uplift, boxes.droppers, boxes.supports, el("div", { class: "spectrum-row" }, boxes.spectrum, boxes.elasticity), this.table);
    const along = "distance along the track (m)";
    this.charts = {
      force: new Chart(boxes.force, { title: "Contact force", x: along, y: "contact force up to 20 Hz (N)", unit: "N" }, link),
      uplift: new Chart(boxes.uplift, { title: "Uplift at the contact", x: along, y: "uplift at the contact (mm)", unit: "mm" }, link),
      droppers: new Chart(boxes.droppers, { title: "Dropper forces", x: along, y: "dropper force, minimum to maximum (N)", unit: "N" }, link),
      supports: new Chart(boxes.supports, { title: "Uplift at supports", x: along, y: "maximum uplift at supports (mm)", unit: "mm" }, link),
      spectrum: new Chart(boxes.spectrum, { title: "Spectrum of the contact force", x: "frequency (Hz)", y: "power spectral density (N²/Hz)", unit: "N²/Hz" }, this.frequency),
      elasticity: new Chart(boxes.elasticity, { title: "Elasticity", x: along, y: "elasticity (mm/N)", unit: "mm/N" }, this.local),
    };
  }

  /** Chainage of the first mast, or 0 where places are metres from it. */
  set origin(metres) {
    this.local.origin = metres;
  }

  show(listing) {
    for (const box of Object.values(this.boxes)) box.hidden = !state.result?.curves?.length && !state.overlays.length;
    const answer = state.result, all = [{ name: answer?.curves?.length > 1 ? "" : "this run", answer }, ...state.overlays];
    const curves = (pick) => all.flatMap((o, k) => (o.answer?.curves || []).map((c, n) => ({ c: pick(c, o.answer), name: o.name || c.name, color: COLORS[(k + n) % 5] }))).filter((s) => s.c).map(({ c, name, color }) => ({ ...c, name, color }));
    const marks = forceMarks();
    this.charts.force.show(forceSeries(), marks);
    this.charts.uplift.show(curves((c) => c.uplift), { masts: marks.masts, band: marks.band });
    this.charts.spectrum.show(curves((c) => c.spectrum));
    const lines = all.filter((o) => o.answer?.line);
    const bars = lines.flatMap((o, k) => {
      const d = o.answer.line.droppers;
      return d ? [{ name: o.name || "minimum to maximum", x: d.dropper_x, y: d.dropper_max_force, base: d.dropper_min_force, bars: true, color: COLORS[k % 5], width: k ? 2 : 5, opacity: 0.7 }] : [];
    });
    this.charts.droppers.show(bars, { masts: marks.masts });
    this.charts.supports.show(lines.flatMap((o, k) => {
      const s = o.answer.line.supports;
      return s ? [{ name: o.name || "uplift", x: s.support_x, y: s.support_uplift.map((v) => 1000 * v), bars: true, color: COLORS[k % 5], width: k ? 3 : 8, opacity: 0.7 }] : [];
    }), { extent: marks.masts?.length ? [marks.masts[0] - 5, marks.masts.at(-1) + 5] : undefined });
    this.charts.elasticity.show(lines.flatMap((o, k) => {
      const e = o.answer.line.elasticity;
      return e ? [{ name: o.name || "elasticity", x: e.elasticity_x, y: e.elasticity.map((v) => 1000 * v), color: COLORS[k % 5] }] : [];
    }));
    this.showTop(listing, answer);
    this.showTable(all);
  }

  showTop(listing, answer) {
    const act = (form) => () => download("download", answer.kept ? { form, path: answer.kept } : { form, task: state.resultTask }).catch(this.refuse);
    const ready = answer && !answer.stopped && !answer.failed;
    const kept = el("select", { "aria-label": "Kept result to overlay", id: "kept" }, el("option", { value: "" }, "overlay a kept result…"), ...listing.results.map((r) => el("option", { value: r.path }, r.name)));
    kept.addEventListener("change", () => kept.value && this.lay(kept.value).catch(this.refuse));
    const pin = () => { state.overlays.push({ name: heldName(), task: state.resultTask, answer: structuredClone(answer) }); changed("overlays"); };
    const chips = state.overlays.map((o, k) => el("button", { type: "button", onclick: () => { state.overlays.splice(k, 1); changed("overlays"); }, "aria-label": `Remove ${o.name}` }, `${o.name} ✕`));
    this.top.replaceChildren(
      el("p", { class: "sentence" }, answer ? answer.sentence : sentence(this.waiting())),
      ...(answer?.details || []).map((d) => el("p", { class: "quiet" }, d)),
      el("div", { class: "tools" },
        el("span", { class: "buttons", role: "group", "aria-label": "Download" }, "Download", ...[["csv", "CSV"], ["nc", "netCDF"], ["report", "Report"]].map(([form, name]) => el("button", { type: "button", disabled: !ready || null, onclick: act(form), "data-form": form }, name))),
        el("button", { type: "button", id: "pin", disabled: !ready || null, onclick: pin }, "Hold for comparison"), kept, ...chips),
      !answer ? "" : el("p", { class: "quiet" }, "Zoom with Ctrl + wheel, drag to pan, double-click to reset, or use the keys +, −, 0 and the arrows. The buttons at the corner of a chart save it as SVG or PNG."));
  }

  async lay(path) {
    const answer = await post("open", { path });
    state.overlays.push({ name: path.split("/")[1], path, answer });
    changed("overlays");
  }

  showTable(all) {
    const shown = all.filter((o) => o.answer?.criteria?.length);
    if (!shown.length) return this.table.replaceChildren();
    const first = shown[0].answer.criteria, several = new Set(first.map((c) => c.of)).size > 1;
    const cells = (row) => shown.slice(1).map((o) => {
      const same = o.answer.criteria.find((c) => c.key === row.key && c.name === row.name);
      return el("td", { class: "n" }, same ? `${same.value} ${same.unit}` : "–");
    });
    this.table.replaceChildren(el("h3", {}, "Assessment"), el("table", { id: "judgement" },
      el("thead", {}, el("tr", {}, ...[...(several ? ["pantograph"] : []), "quantity", "value", "limit", "verdict", ...shown.slice(1).map((o) => o.name), "clause"].map((t) => el("th", { scope: "col", class: ["value", "limit", ...shown.slice(1).map((o) => o.name)].includes(t) ? "n" : null }, t)))),
      el("tbody", {}, ...first.map((c) => el("tr", { "data-key": c.key },
        several ? el("td", {}, c.of) : null, el("td", {}, c.name), el("td", { class: "n" }, `${c.value}${c.error ? ` ± ${c.error}` : ""} ${c.unit}`),
        el("td", { class: "n" }, c.limit === null ? "" : `${c.bound === "upper" ? "≤" : "≥"} ${c.limit} ${c.unit}`),
        el("td", { class: MOODS[c.verdict][0] }, MOODS[c.verdict][1]), ...cells(c), el("td", { class: "quiet" }, [c.clause, ["recalled", "transcribed"].includes(c.standing) ? "limit to be checked" : ""].filter(Boolean).join("; ")))))));
  }
}
