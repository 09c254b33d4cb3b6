// SVG charts: thinned to screen resolution, linked cursors, zoom, read-out, download.
// SVG, not canvas: its text can be read aloud, one drawing serves both themes, and it is its own download.
import { saveAs } from "./api.js";
import { el, svg } from "./dom.js";

const LEFT = 58, RIGHT = 12, TOP = 18, BOTTOM = 30;

/** Charts over the same quantity: one window, one cursor. */
export class Link {
  constructor() {
    this.charts = new Set();
    this.window = null;
    this.bounds = null; // beyond which there is nothing to see
    this.cursor = null;
    this.origin = 0; // of the chainage; 0: places are metres from the first mast
    this.follow = () => {};
  }
  /** Places of the labels of the axis. */
  ticks(low, high, count) {
    return ticks(low + this.origin, high + this.origin, count).map((v) => v - this.origin);
  }
  /** A place in words: km+m where the line has a chainage. */
  place(x, digits = 0) {
    return this.origin ? chainage(x + this.origin, digits) : figure(x);
  }
  look(window) {
    this.window = window && this.bounds ? inside(window, this.bounds) : window;
    for (const chart of this.charts) chart.draw();
    this.follow();
  }
  point(x) {
    this.cursor = x;
    for (const chart of this.charts) chart.drawCursor();
  }
}

/** Moves of the pointer that an element has captured, until it is let go or taken away. */
export function whileHeld(element, move, end, cancel = end) {
  const stop = new AbortController(), { signal } = stop, last = (act) => () => { stop.abort(); act(); };
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", last(end), { signal });
  for (const lost of ["pointercancel", "lostpointercapture"]) element.addEventListener(lost, last(cancel), { signal });
}

/** The window moved, and shrunk if it must, so that it lies within the bounds. */
function inside([a, b], [low, high]) {
  const wide = Math.min(b - a, high - low), from = Math.max(low, Math.min(a, high - wide));
  return [from, from + wide];
}

export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

export const figure = (x) => (x === null || !Number.isFinite(x) ? "–" : Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4))));

/** 12345.6 m as 12+345.6, the way a line's places are written. */
export function chainage(metres, digits = 0) {
  const shown = Number(Math.abs(metres).toFixed(digits)), km = Math.floor(shown / 1000 + 1e-9);
  return `${metres < 0 && shown ? "−" : ""}${km}+${(shown - 1000 * km).toFixed(digits).padStart(digits ? 4 + digits : 3, "0")}`;
}

/** Lowest and highest of each pixel: every extreme that a reader could see. */
function thinned(x, y, low, high, width) {
  const found = [], bins = new Map();
  let before = null, after = null;
  for (let i = 0; i < x.length; i++) {
    if (x[i] < low) { before = i; continue; }
    if (x[i] > high) { after = i; break; }
    const bin = Math.floor(((x[i] - low) / (high - low)) * width);
    const seen = bins.get(bin);
    if (!seen) bins.set(bin, [i, i]);
    else {
      if (y[i] < y[seen[0]]) seen[0] = i;
      if (y[i] > y[seen[1]]) seen[1] = i;
    }
  }
  if (before !== null) found.push(before);
  for (const [a, b] of bins.values()) found.push(...(a === b ? [a] : [Math.min(a, b), Math.max(a, b)]));
  if (after !== null) found.push(after);
  return found;
}

export class Chart {
  /** host: element; words: {title, x, y}; link: charts that share the axis x. */
  constructor(host, words, link) {
    this.host = host;
    this.words = words;
    this.link = link;
    this.series = [];
    this.marks = {};
    this.waiting = () => ""; // why there is no curve
    host.classList.add("chart");
    this.svg = svg("svg", { tabindex: 0, role: "img", "aria-label": words.title });
    const save = el("div", { class: "save" },
      el("button", { type: "button", onclick: () => this.save("svg"), "aria-label": `${words.title} as SVG` }, "SVG"),
      el("button", { type: "button", onclick: () => this.save("png"), "aria-label": `${words.title} as PNG` }, "PNG"));
    host.replaceChildren(this.svg, save);
    link.charts.add(this);
    this.svg.addEventListener("pointermove", (e) => this.hover(e));
    this.svg.addEventListener("pointerleave", () => link.point(null));
    this.svg.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    this.svg.addEventListener("dblclick", () => link.look(null));
    this.svg.addEventListener("pointerdown", (e) => this.pan(e));
    this.svg.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  /** series: [{name, x, y, color, pale, bars}]; marks: {masts, band: [a, b], limits: [{y, words}]} */
  show(series, marks = {}) {
    this.series = series;
    this.marks = marks;
    this.draw();
  }

  extent() {
    const all = this.series.flatMap((s) => (s.x.length ? [s.x[0], s.x[s.x.length - 1]] : []));
    const [low, high] = this.link.window || this.marks.extent || [Math.min(...all), Math.max(...all)];
    return Number.isFinite(low) && high > low ? [low, high] : [0, 1];
  }

  draw() {
    const width = this.host.clientWidth, height = this.host.clientHeight;
    if (width < 80 || height < 50) return;
    const [low, high] = this.extent();
    let bottom = Infinity, top = -Infinity;
    for (const s of this.series) {
      for (let i = 0; i < s.x.length; i++) {
        if (s.x[i] < low || s.x[i] > high || s.y[i] === null) continue;
        bottom = Math.min(bottom, s.y[i]);
        top = Math.max(top, s.y[i]);
      }
      if (s.bars) bottom = Math.min(bottom, 0);
    }
    for (const limit of this.marks.limits || []) if (limit.y !== null && limit.y < top * 1.6 + 1) top = Math.max(top, limit.y);
    const empty = !Number.isFinite(top);
    if (!(top > bottom)) [bottom, top] = Number.isFinite(top) ? [top - 1, top + 1] : [0, 1];
    const room = 0.06 * (top - bottom);
    [bottom, top] = [bottom === 0 ? 0 : bottom - room, top + room];
    this.sx = (x) => LEFT + ((x - low) / (high - low)) * (width - LEFT - RIGHT);
    this.sy = (y) => height - BOTTOM - ((y - bottom) / (top - bottom)) * (height - TOP - BOTTOM);
    this.inverse = (px) => low + ((px - LEFT) / (width - LEFT - RIGHT)) * (high - low);
    this.size = [width, height];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = empty ? [this.nothing()] : [...this.frame(low, high, bottom, top), ...this.curves(low, high, width, height)];
    this.cursor = svg("g");
    this.svg.replaceChildren(...parts, this.cursor);
    this.svg.setAttribute("aria-label", `${this.words.title}. ${this.series.map((s) => s.name).filter(Boolean).join(", ")}`);
    this.drawCursor();
  }

  /** Message shown instead of axes when there is no curve. */
  nothing() {
    const [width, height] = this.size, some = this.series.some((s) => s.x.length);
    const words = some ? "no data in view" : this.waiting() || "no data yet";
    return svg("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "quiet" }, `${this.words.title}: ${words}`);
  }

  *frame(low, high, bottom, top) {
    const [width, height] = this.size, { band, masts } = this.marks;
    if (band?.length) {
      const [a, b] = band.map((x) => Math.max(LEFT, Math.min(width - RIGHT, this.sx(x))));
      if (b > a) yield svg("rect", { x: a, y: TOP, width: b - a, height: height - TOP - BOTTOM, fill: "var(--band)" });
    }
    for (const y of ticks(bottom, top, Math.max(2, (height - TOP - BOTTOM) / 32))) {
      yield svg("line", { x1: LEFT, x2: width - RIGHT, y1: this.sy(y), y2: this.sy(y), stroke: "var(--grid)" });
      yield svg("text", { x: LEFT - 5, y: this.sy(y) + 4, "text-anchor": "end", class: "quiet" }, figure(y));
    }
    const posts = (masts || []).filter((x) => x >= low && x <= high);
    for (const x of posts.length < width / 4 ? posts : []) {
      yield svg("line", { x1: this.sx(x), x2: this.sx(x), y1: TOP, y2: height - BOTTOM, stroke: "var(--edge)", "stroke-dasharray": "2 3" });
    }
    for (const x of this.link.ticks(low, high, width / 90)) {
      const px = Math.min(this.sx(x), width - (this.link.origin ? 24 : 16)); // the last one stays whole
      yield svg("text", { x: px, y: height - BOTTOM + 13, "text-anchor": "middle", class: "quiet" }, this.link.place(x));
    }
    yield svg("line", { x1: LEFT, x2: width - RIGHT, y1: height - BOTTOM, y2: height - BOTTOM, stroke: "var(--edge)" });
    yield svg("text", { x: (LEFT + width - RIGHT) / 2, y: height - 4, "text-anchor": "middle", class: "quiet" }, this.link.origin ? "chainage (km+m)" : this.words.x);
    yield svg("text", { x: 4, y: 12 }, this.words.y);
  }

  *curves(low, high, width, height) {
    const inside = `clip${(this.id ??= Math.random().toString(36).slice(2))}`;
    yield svg("clipPath", { id: inside }, svg("rect", { x: LEFT, y: TOP - 2, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM + 4 }));
    const group = svg("g", { "clip-path": `url(#${inside})` });
    for (const s of this.series) {
      const color = s.pale ? "var(--pale)" : s.color || "var(--c1)";
      if (s.bars) {
        const thick = Math.min(s.width || 5, Math.max(1, 0.75 * this.narrowest(s.x)));
        for (let i = 0; i < s.x.length; i++) {
          if (s.x[i] < low || s.x[i] > high) continue;
          const base = this.sy(s.base ? s.base[i] : 0), y = this.sy(s.y[i]);
          group.append(svg("line", { x1: this.sx(s.x[i]), x2: this.sx(s.x[i]), y1: base, y2: y, stroke: color, "stroke-width": thick, opacity: s.opacity || 1 }));
        }
        continue;
      }
      let d = "", pen = false;
      for (const i of thinned(s.x, s.y, low, high, width)) {
        if (s.y[i] === null) { pen = false; continue; }
        d += `${pen ? "L" : "M"}${this.sx(s.x[i]).toFixed(1)} ${this.sy(s.y[i]).toFixed(1)}`;
        pen = true;
      }
      group.append(svg("path", { d, fill: "none", stroke: color, "stroke-width": s.width || (s.pale ? 1.2 : 1.6), "stroke-dasharray": s.dash || null }));
      if (s.dots) for (let i = 0; i < s.x.length; i++) if (s.y[i] !== null) group.append(svg("circle", { cx: this.sx(s.x[i]), cy: this.sy(s.y[i]), r: 3, fill: color }));
    }
    for (const limit of this.marks.limits || []) {
      if (limit.y === null) continue;
      const y = this.sy(limit.y);
      group.append(svg("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, stroke: "var(--red)", "stroke-dasharray": "6 4" }));
      group.append(svg("text", { x: width - RIGHT - 3, y: y + 12, "text-anchor": "end", style: "fill: var(--red)" }, limit.words));
    }
    yield group;
    const named = this.series.filter((s) => s.name);
    let at = width - RIGHT - 62;
    for (const s of [...named].reverse()) {
      const long = 6.3 * s.name.length;
      if (at - long < LEFT + 100) break;
      yield svg("text", { x: at - long, y: 12, class: "quiet" }, s.name);
      yield svg("line", { x1: at - long - 16, x2: at - long - 4, y1: 8, y2: 8, stroke: s.pale ? "var(--pale)" : s.color || "var(--c1)", "stroke-width": 3 });
      at -= long + 28;
    }
  }

  /** Pixels between the closest two bars, as they are on the average. */
  narrowest(x) {
    return x.length > 1 ? Math.abs(this.sx(x.at(-1)) - this.sx(x[0])) / (x.length - 1) : Infinity;
  }

  drawCursor() {
    if (!this.cursor || !this.series.length) return;
    const x = this.link.cursor, [low, high] = this.extent(), [width, height] = this.size;
    if (x === null || x < low || x > high) return this.cursor.replaceChildren();
    const read = this.series.filter((s) => s.x.length && s.name && !s.unread).map((s) => `${figure(nearest(s, x))}`).join(" | ");
    const px = this.sx(x), right = px > width / 2;
    const words = `${this.link.place(x, 1)}: ${read} ${this.words.unit || ""}`;
    this.cursor.replaceChildren(
      svg("line", { x1: px, x2: px, y1: TOP, y2: height - BOTTOM, stroke: "var(--ink)", opacity: 0.5 }),
      svg("rect", { x: right ? px - 8 - 6.2 * words.length : px + 4, y: TOP + 1, width: 6.2 * words.length + 4, height: 15, fill: "var(--paper)", opacity: 0.85 }),
      svg("text", { x: right ? px - 6 : px + 6, y: TOP + 12, "text-anchor": right ? "end" : "start" }, words));
  }

  place(event) {
    const box = this.svg.getBoundingClientRect();
    return event.clientX - box.left;
  }
  hover(event) {
    if (this.inverse && !this.panning) this.link.point(this.inverse(this.place(event)));
  }
  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey && this.host.closest(".scrolls")) return; // let the page scroll
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.inverse(this.place(event)));
  }
  zoom(factor, about) {
    const [low, high] = this.extent();
    this.link.look([about + (low - about) * factor, about + (high - about) * factor]);
  }
  pan(event) {
    if (event.button !== 0 || !this.inverse) return;
    const start = this.place(event), [low, high] = this.extent(), per = (high - low) / (this.size[0] - LEFT - RIGHT);
    this.svg.setPointerCapture(event.pointerId);
    const move = (e) => {
      if (Math.abs(this.place(e) - start) < 3 && !this.panning) return;
      this.panning = true;
      const by = (start - this.place(e)) * per;
      this.link.look([low + by, high + by]);
    };
    whileHeld(this.svg, move, () => { this.panning = false; });
  }
  key(event) {
    const [low, high] = this.extent(), at = this.link.cursor ?? (low + high) / 2, step = (high - low) / (event.shiftKey ? 20 : 200);
    const acts = {
      ArrowLeft: () => this.link.point(at - step), ArrowRight: () => this.link.point(at + step),
      "+": () => this.zoom(0.8, at), "-": () => this.zoom(1.25, at), 0: () => this.link.look(null),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Save the chart as a file, with the colours of the current theme. */
  async save(form) {
    const copy = this.svg.cloneNode(true), style = getComputedStyle(document.documentElement);
    copy.querySelector("g:last-child")?.replaceChildren();
    const [width, height] = this.size;
    let text = new XMLSerializer().serializeToString(copy).replace(/var\((--\w+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    const css = `text{font:11px system-ui,sans-serif;fill:${style.getPropertyValue("--ink")}}`;
    text = text.replace(/^<svg/, `<svg width="${width}" height="${height}"`).replace(/>/, `><style>${css}</style><rect width="100%" height="100%" fill="${style.getPropertyValue("--paper")}"/>`);
    const blob = new Blob([text], { type: "image/svg+xml" }), name = this.words.title.toLowerCase().replace(/\W+/g, "-");
    if (form === "svg") return saveAs(blob, `${name}.svg`);
    const image = new Image(), url = URL.createObjectURL(blob);
    image.src = url;
    await image.decode();
    const canvas = el("canvas", { width: 2 * width, height: 2 * height });
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    pen.drawImage(image, 0, 0);
    URL.revokeObjectURL(url);
    canvas.toBlob((png) => saveAs(png, `${name}.png`));
  }
}

function nearest(s, x) {
  let a = 0, b = s.x.length - 1;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (s.x[m] <= x) a = m;
    else b = m;
  }
  return Math.abs(s.x[a] - x) < Math.abs(s.x[b] - x) ? s.y[a] : s.y[b];
}
