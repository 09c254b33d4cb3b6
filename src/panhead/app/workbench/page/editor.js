// Drawing of the line: elevation and plan to scale; drag droppers and masts or move them with the keys.
import { $, el, mm, round, svg } from "./dom.js";
import { ticks, figure, whileHeld } from "./chart.js";
import { spanLabels, tensionLengths, thinnedLabels, trackStrip } from "./labels.js";
import { editLine, state } from "./state.js";

const LEFT = 58, RIGHT = 12, TOP = 24, BOTTOM = 34;
const PER_PIXEL = 0.001; // metres of height for each pixel of a drag
const STRIP = 30; // px for curves and cant below the plan
const PLAN = 10; // times as far in the plan: centimetres of stagger

/** Drawn in the charts' own window: it is linked like a chart. */
export class Editor {
  constructor(link, { choose, refuse, redrawn }) {
    Object.assign(this, { link, choose, refuse, redrawn, held: null, waiting: new Map(), turn: Promise.resolve() });
    this.elevation = svg("svg", { role: "group", "aria-label": "Elevation of the line" });
    this.plan = svg("svg", { role: "group", "aria-label": "Plan of the line" });
    $("elevation").replaceChildren(this.elevation);
    $("plan").replaceChildren(this.plan);
    link.charts.add(this);
    for (const host of [this.elevation, this.plan]) {
      host.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
      host.addEventListener("pointermove", (e) => this.inverse && link.point(this.inverse(this.at(e))));
      host.addEventListener("pointerleave", () => link.point(null));
      host.addEventListener("dblclick", (e) => this.add(e));
    }
    new ResizeObserver(() => this.draw()).observe($("elevation"));
  }

  at(event) {
    return event.clientX - this.elevation.getBoundingClientRect().left;
  }
  wheel(event) {
    event.preventDefault();
    if (!this.inverse) return;
    const about = this.inverse(this.at(event)), factor = event.deltaY > 0 ? 1.25 : 0.8, [a, b] = this.window();
    this.link.look([about + (a - about) * factor, about + (b - about) * factor]);
  }
  window() {
    return this.link.window || this.link.bounds;
  }

  draw() {
    if (this.held) return; // a part in the hand stays the same part
    const width = this.elevation.clientWidth, height = this.elevation.clientHeight;
    if (width < 80 || height < 40) return;
    if (!state.drawing) return this.wait(width, height);
    const [low, high] = this.window();
    this.sx = (x) => LEFT + ((x - low) / (high - low)) * (width - LEFT - RIGHT);
    this.inverse = (px) => low + ((px - LEFT) / (width - LEFT - RIGHT)) * (high - low);
    const focus = document.activeElement?.dataset?.key;
    this.drawElevation(width, height, low, high);
    this.drawPlan(width, low, high);
    if (focus) document.querySelector(`[data-key="${focus}"]`)?.focus();
    this.drawCursor();
  }

  /** Instead of a drawing: why there is none yet. */
  wait(width, height) {
    this.inverse = null;
    this.cursor = null;
    this.elevation.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.elevation.replaceChildren(svg("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "quiet" }, this.instead()));
    this.plan.replaceChildren();
  }

  drawElevation(width, height, low, high) {
    const { wires, masts, droppers } = state.drawing;
    const z = wires.flatMap((w) => w.z.filter((v) => v !== null));
    const top = Math.max(...z, ...masts.map((m) => m.messenger_z)) + 0.12, bottom = Math.min(...z) - 0.18;
    const across = (width - LEFT - RIGHT) / (high - low), fit = (height - TOP - BOTTOM) / (top - bottom);
    const chosen = Number($("exaggeration").value), scale = chosen ? chosen * across : fit;
    $("scale").textContent = `now × ${figure(round(scale / across, 1))}`;
    const middle = (top + bottom) / 2;
    this.sz = (v) => (height + TOP - BOTTOM) / 2 - (v - middle) * scale;
    this.elevation.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = [];
    for (const v of ticks(bottom, top, Math.max(2, height / 45))) {
      parts.push(svg("line", { x1: LEFT, x2: width - RIGHT, y1: this.sz(v), y2: this.sz(v), stroke: "var(--grid)" }));
      parts.push(svg("text", { x: LEFT - 5, y: this.sz(v) + 4, "text-anchor": "end", class: "quiet" }, figure(v)));
    }
    parts.push(svg("text", { x: 4, y: 12 }, "height above rail (m)"));
    const room = { left: LEFT, right: width - RIGHT, low, high, sx: this.sx };
    parts.push(...spanLabels(state.drawing.mast_x, room, height - 4), ...thinnedLabels(state.drawing.mast_x, state.drawing.mast_labels, room, height - 19), ...tensionLengths(state.drawing.tension_lengths, room));
    parts.push(...this.others(low, high, height, across));
    for (const mast of masts) if (mast.x >= low && mast.x <= high) parts.push(this.mast(mast, height));
    parts.push(clipped("inside-elevation", width, height, wires.map((wire) => svg("path", { class: wireClass(wire), d: path(wire.x, wire.z, this.sx, this.sz, low, high) }))));
    const apart = ((state.drawing.mast_x[1] - state.drawing.mast_x[0]) * state.drawing.spans.length) / Math.max(1, droppers.length);
    const gaps = gapsBetween(droppers), wide = (d) => Math.max(3, Math.min(12, across * gaps.get(d.x)));
    if (apart * across > 2) for (const d of droppers) if (d.x >= low && d.x <= high) parts.push(this.dropper(d, wide(d), Math.max(1, Math.min(3, 0.25 * across * gaps.get(d.x))))); // nearer, they are a grey wall
    this.cursor = svg("g");
    this.elevation.replaceChildren(...parts, this.cursor);
  }

  /** Masts in view of spans that are not drawn, as thin lines. */
  others(low, high, height, across) {
    const { mast_x: all, first, spans } = state.drawing, drawn = [all[first], all[first + new Set(spans.map((s) => s.number)).size]];
    const rest = all.filter((x) => x >= low && x <= high && (x < drawn[0] || x > drawn[1]));
    if (!rest.length) return [];
    const every = Math.ceil(4 / (across * ((all.at(-1) - all[0]) / (all.length - 1))));
    return rest.filter((_, k) => k % every === 0).map((x) => svg("line", { x1: this.sx(x), x2: this.sx(x), y1: TOP, y2: height - BOTTOM, stroke: "var(--edge)" }));
  }

  dropper(d, wide, dot) {
    const x = this.sx(d.x), [top, bottom] = [this.sz(d.top), this.sz(d.bottom)], key = keyOf("dropper", d);
    const name = `Dropper ${d.dropper} of span ${d.span + 1}, ${d.piece}: at ${figure(d.position)} m, ` +
      `${figure(d.length)} m long, ${figure(d.force)} N`;
    const marks = ["dropper", d.force <= 0 ? "slack" : "", same(state.selected, d, "dropper") ? "chosen" : "", this.wrong === key ? "wrong" : ""];
    const group = svg("g", { class: marks.join(" "), tabindex: 0, role: "button", "aria-label": name, "data-key": key },
      svg("title", {}, name),
      svg("line", { class: "seen", x1: x, x2: x, y1: top, y2: bottom }),
      svg("line", { class: "hit", x1: x, x2: x, y1: top, y2: bottom + 10, style: `stroke-width: ${wide}` }),
      svg("circle", { cx: x, cy: bottom, r: dot }), ...this.arrow(d, x, bottom));
    if (d.lower !== "auxiliary") {
      group.addEventListener("pointerdown", (e) => this.drag(e, group));
      group.addEventListener("keydown", (e) => this.nudge(e, () => this.remove(d)));
    }
    group.addEventListener("focus", () => this.choose({ type: "dropper", ...address(d), dropper: d.dropper }));
    return group;
  }

  /** Arrow in the direction that reduces σ: up to shorten the dropper. Its length is proportional to √|∂σ/∂length|. */
  arrow(d, x, y) {
    const slopes = state.slopes?.slopes?.["dropper.length"];
    const slope = slopes?.[`${d.piece}, span ${d.span + 1}, dropper ${d.dropper}`];
    if (!slope || !$("arrows").checked) return [];
    const largest = Math.max(...Object.values(slopes).map(Math.abs)), long = 26 * Math.sqrt(Math.abs(slope) / largest);
    if (long < 3) return [];
    const up = slope > 0, end = y + (up ? -long : long), tip = up ? 4 : -4;
    const words = `σ ${slope > 0 ? "rises" : "falls"} by ${figure(Math.abs(slope) / 1000)} N per millimetre of added length`;
    return [svg("path", { d: `M${x + 5} ${y}V${end}M${x + 2} ${end + tip}L${x + 5} ${end}L${x + 8} ${end + tip}`, fill: "none", stroke: "var(--c2)", "stroke-width": 2 }, svg("title", {}, words))];
  }

  mast(m, height) {
    const x = this.sx(m.x), y = this.sz(m.messenger_z), name = `Mast ${m.name} at ${this.link.origin ? `km ${this.link.place(m.x, 1)}` : `${figure(m.x)} m`}: contact wire at ${m.contact_z.toFixed(3)} m, stagger ${mm(m.stagger)}`;
    const group = svg("g", { class: `mast ${same(state.selected, m, "mast") ? "chosen" : ""}`, tabindex: 0, role: "button", "aria-label": name, "data-key": keyOf("mast", m) },
      svg("title", {}, name),
      svg("line", { class: "seen", x1: x, x2: x, y1: y, y2: height - BOTTOM }),
      svg("line", { class: "hit", x1: x, x2: x, y1: y, y2: height - BOTTOM }),
      svg("circle", { cx: x, cy: this.sz(m.contact_z), r: 2.5 }));
    group.addEventListener("pointerdown", (e) => this.drag(e, group));
    group.addEventListener("keydown", (e) => this.nudge(e));
    group.addEventListener("focus", () => this.choose({ type: "mast", ...address(m), mast: m.mast }));
    return group;
  }

  drawPlan(width, low, high) {
    const { wires, masts, track } = state.drawing, curved = track.length > 0;
    $("plan").classList.toggle("curved", curved);
    const whole = this.plan.clientHeight, height = whole - (curved ? STRIP : 0);
    const seen = (wire) => wire.y.filter((v, i) => v !== null && wire.x[i] >= low && wire.x[i] <= high);
    const y = [...masts.flatMap((m) => [m.stagger, m.messenger_stagger]), ...wires.flatMap((w) => { const all = seen(w); return all.length ? [Math.min(...all), Math.max(...all)] : []; })], most = Math.max(0.1, ...y.map(Math.abs)) * 1.3;
    this.sy = (v) => (height + 12) / 2 - (v / most) * (height / 2 - 10);
    this.plan.setAttribute("viewBox", `0 0 ${width} ${whole}`);
    const parts = [svg("line", { x1: LEFT, x2: width - RIGHT, y1: this.sy(0), y2: this.sy(0), stroke: "var(--grid)", "stroke-width": 2 })];
    for (const v of ticks(-most, most, 3)) parts.push(svg("text", { x: LEFT - 5, y: this.sy(v) + 4, "text-anchor": "end", class: "quiet" }, figure(round(v, 3))));
    parts.push(svg("text", { x: 4, y: 10 }, "plan: stagger (m)"));
    parts.push(clipped("inside-plan", width, height, wires.map((wire) => svg("path", { class: wireClass(wire), d: path(wire.x, wire.y, this.sx, this.sy, low, high) }))));
    for (const m of masts) {
      if (m.x < low || m.x > high) continue;
      const name = `Stagger at mast ${m.name}: ${mm(m.stagger)}`;
      const dot = svg("g", { class: `mast ${same(state.selected, m, "mast") ? "chosen" : ""}`, tabindex: 0, role: "button", "aria-label": name, "data-key": keyOf("plan", m) },
        svg("title", {}, name), svg("circle", { cx: this.sx(m.x), cy: this.sy(m.stagger), r: 4 }),
        svg("circle", { cx: this.sx(m.x), cy: this.sy(m.stagger), r: 9, style: "fill: transparent" }));
      dot.addEventListener("pointerdown", (e) => this.drag(e, dot));
      dot.addEventListener("keydown", (e) => this.nudge(e));
      dot.addEventListener("focus", () => this.choose({ type: "mast", ...address(m), mast: m.mast }));
      parts.push(dot);
    }
    if (curved) parts.push(...trackStrip(track, { left: LEFT, right: width - RIGHT, low, high, sx: this.sx }, height, STRIP));
    this.plan.replaceChildren(...parts);
  }

  remove(d) {
    this.change({ do: "remove dropper", ...address(d), dropper: d.dropper, together: state.together }, null);
  }

  add(event) {
    const x = this.inverse(this.at(event)), span = state.drawing.spans.find((s) => x > s.x && x < s.x + s.length);
    if (span && event.target.closest(".dropper, .mast") === null) {
      this.change({ do: "add dropper", ...address(span), position: round(x - span.x, 1), together: state.together }, null);
    }
  }

  /** A drag: mostly along moves along the track, mostly upright changes heights, a millimetre for each pixel. */
  drag(event, group) {
    if (event.button !== 0) return;
    event.preventDefault();
    group.focus();
    const from = [event.clientX, event.clientY], across = (this.inverse(101) - this.inverse(100)), plan = this.plan.contains(group);
    let by = [0, 0];
    group.setPointerCapture(event.pointerId);
    this.held = group;
    const note = svg("text", { x: Math.min(this.sx(this.inverse(this.at(event))) + 10, 600), y: 44, style: "fill: var(--blue); font-weight: 600" });
    this.elevation.append(note);
    const move = (e) => {
      const [px, pz] = [e.clientX - from[0], from[1] - e.clientY], along = !plan && Math.abs(px) > Math.abs(pz);
      by = along ? [round(Math.round(px * across * 20) / 20, 2), 0] : [0, PER_PIXEL * Math.round(pz)];
      group.setAttribute("transform", along ? `translate(${px},0)` : `translate(0,${-pz})`);
      const far = mm(Math.abs(by[1]) * (plan ? PLAN : 1));
      note.textContent = along ? `${by[0] >= 0 ? "+" : ""}${by[0]} m along` : plan ? `stagger ${by[1] >= 0 ? "+" : "−"}${far}` : `${far} ${by[1] >= 0 ? "up" : "down"}`;
    };
    const end = () => {
      this.held = null;
      group.removeAttribute("transform");
      note.remove();
      this.draw(); // what came meanwhile
      this.shift(group.dataset.key, by);
    };
    whileHeld(group, move, end, () => { by = [0, 0]; end(); });
  }

  nudge(event, remove) {
    const fine = event.shiftKey ? 0.01 : 0.001, along = event.shiftKey ? 1 : 0.1;
    const by = { ArrowUp: [0, fine], ArrowDown: [0, -fine], ArrowLeft: [-along, 0], ArrowRight: [along, 0] }[event.key];
    if (by) {
      event.preventDefault();
      if (by[1] || !this.plan.contains(event.currentTarget)) this.shift(event.currentTarget.dataset.key, by);
    } else if (event.key === "Delete" && remove) {
      event.preventDefault();
      remove();
    }
  }

  /** Move a part from where it is. What comes while the line is still being drawn is added up: no key is lost. */
  shift(key, [dx, dz]) {
    if (!dx && !dz) return;
    const [x, z] = this.waiting.get(key) || [0, 0];
    this.waiting.set(key, [x + dx, z + dz]);
    this.turn = this.turn.then(async () => {
      const by = this.waiting.get(key), edit = by && this.edit(key, ...by);
      this.waiting.delete(key);
      if (!edit) return;
      await this.change(edit, key);
      await this.redrawn();
    });
  }

  /** The change that a part moved by dx along the track and dz in height means. */
  edit(key, dx, dz) {
    const { droppers, masts } = state.drawing, find = (what, parts) => parts.find((part) => keyOf(what, part) === key);
    const d = find("dropper", droppers), m = find("mast", masts), p = find("plan", masts);
    if (d) {
      const high = d.by_length ? { length: round(d.length - dz) } : { length_error: round(d.error - dz) };
      return { do: "dropper", ...address(d), dropper: d.dropper, together: state.together, ...(dx ? { position: round(d.position + dx, 3) } : {}), ...(dz ? high : {}) };
    }
    if (m) return { do: "mast", ...address(m), mast: m.mast, ...(dz ? { contact_height: round(m.contact_height + dz) } : {}), ...(dx ? { along: round(dx, 3) } : {}) };
    return p && { do: "mast", ...address(p), mast: p.mast, stagger: round(p.stagger + PLAN * dz) };
  }

  /** Mark the dropper that an error concerns, until the line is valid again. */
  blame({ piece, span, dropper }) {
    const found = state.drawing?.droppers.find((d) => d.piece === piece && d.span === span - 1 && d.dropper === dropper);
    this.wrong = found ? keyOf("dropper", found) : null;
    this.draw();
  }

  async change(edit, key) {
    try {
      this.wrong = null;
      await editLine(edit);
    } catch (error) {
      this.wrong = key;
      this.draw();
      this.refuse(error);
    }
  }

  drawCursor() {
    if (!this.cursor || !this.inverse) return;
    const x = this.link.cursor;
    if (x === null || !Number.isFinite(x) || !state.drawing) return this.cursor.replaceChildren();
    const px = this.sx(x), right = px > this.elevation.clientWidth / 2, words = this.where(x);
    this.cursor.replaceChildren(
      svg("line", { x1: px, x2: px, y1: TOP - 4, y2: this.elevation.clientHeight - BOTTOM, stroke: "var(--ink)", opacity: 0.3 }),
      svg("rect", { x: right ? px - 8 - 6.2 * words.length : px + 4, y: TOP - 4, width: 6.2 * words.length + 4, height: 15, fill: "var(--paper)", opacity: 0.85 }),
      svg("text", { x: right ? px - 6 : px + 6, y: TOP + 8, "text-anchor": right ? "end" : "start" }, words));
  }

  /** A place in words: chainage or metres, and the masts before and after it. */
  where(x) {
    const { mast_x: all, mast_labels: labels } = state.drawing, after = all.findIndex((v) => v > x);
    const at = this.link.origin ? `km ${this.link.place(x, 1)}` : `${figure(x)} m`;
    return after > 0 ? `${at}, mast ${labels[after - 1]} to ${labels[after]}` : at;
  }
}

/** Wires of every other tension length have a colour of their own. */
const wireClass = (wire) => `wire ${wire.role}${wire.index % 2 ? " other" : ""}`;
const address = (part) => ({ tension_length: part.tension_length, ...(part.span === undefined ? {} : { span: part.span }) });
const keyOf = (what, d) => `${what}-${d.tension_length}-${d.piece ?? d.name}-${d.span ?? ""}-${d.dropper ?? d.mast}-${d.lower ?? ""}`.replace(/["\\]/g, "");

/** From every place of a dropper to the nearest other one: the nearest dropper is the one that a hand takes. */
function gapsBetween(droppers) {
  const x = [...new Set(droppers.map((d) => d.x))].sort((a, b) => a - b);
  return new Map(x.map((v, k) => [v, Math.min(v - (x[k - 1] ?? -Infinity), (x[k + 1] ?? Infinity) - v)]));
}

export function same(chosen, part, type) {
  if (chosen?.type !== type || chosen.tension_length !== part.tension_length) return false;
  return type === "mast" ? chosen.mast === part.mast : chosen.span === part.span && (type === "span" || chosen.dropper === part.dropper);
}

/** Parts that end where the axes do. */
function clipped(id, width, height, parts) {
  return svg("g", { "clip-path": `url(#${id})` }, svg("clipPath", { id }, svg("rect", { x: LEFT - 2, y: 0, width: width - LEFT - RIGHT + 4, height })), ...parts);
}

function path(x, y, sx, sy, low, high) {
  let d = "", pen = false;
  const room = (high - low) * 0.05;
  for (let i = 0; i < x.length; i++) {
    if (y[i] === null || x[i] < low - room || x[i] > high + room) { pen = false; continue; }
    d += `${pen ? "L" : "M"}${sx(x[i]).toFixed(1)} ${sy(y[i]).toFixed(1)}`;
    pen = true;
  }
  return d;
}
