// Overview strip of a long line: shows the visible part; drag it or move it with the keys.
import { $, svg } from "./dom.js";
import { figure, ticks, whileHeld } from "./chart.js";
import { state } from "./state.js";

const LEFT = 58, RIGHT = 12, HEIGHT = 24;

/** Shown for lines that are not drawn at once; linked like a chart. */
export class Overview {
  constructor(link) {
    this.link = link;
    this.svg = svg("svg", { role: "slider", tabindex: 0, "aria-label": "Visible part of the line" });
    $("overview").replaceChildren(this.svg);
    link.charts.add(this);
    this.svg.addEventListener("pointerdown", (e) => this.grab(e));
    this.svg.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe($("overview"));
  }

  draw() {
    const x = state.drawing?.mast_x, long = Boolean(x) && x.length - 1 > state.drawing.spans.length, width = this.svg.clientWidth;
    $("overview").hidden = $("part").hidden = !long;
    if (!long || width < 80) return;
    const [low, high] = this.link.bounds, [a, b] = this.link.window || this.link.bounds;
    const sx = (v) => LEFT + ((v - low) / (high - low)) * (width - LEFT - RIGHT);
    this.per = (high - low) / (width - LEFT - RIGHT);
    const middles = x.slice(1).map((v, k) => (v + x[k]) / 2), seen = middles.map((v, k) => (v >= a && v <= b ? k + 1 : 0)).filter(Boolean);
    const words = `spans ${seen[0] ?? "–"} to ${seen.at(-1) ?? "–"} of ${x.length - 1}`;
    for (const [name, value] of Object.entries({ valuemin: 1, valuemax: x.length - 1, valuenow: seen[0] ?? 1, valuetext: words })) this.svg.setAttribute(`aria-${name}`, value);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren(svg("title", {}, words),
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: 8, y2: 8, stroke: "var(--grey)", "stroke-width": 2 }),
      ...ticks(low, high, width / 90).map((v) => svg("text", { x: sx(v), y: 22, "text-anchor": "middle", class: "quiet" }, figure(v / 1000))),
      svg("text", { x: 4, y: 22, class: "quiet" }, "km"),
      svg("rect", { class: "part", x: sx(a), y: 2, width: Math.max(6, sx(b) - sx(a)), height: 12, rx: 3 }));
  }

  drawCursor() {}

  /** Drag the part, or put its middle where the line is touched. */
  grab(event) {
    if (event.button !== 0 || !this.per) return;
    const at = (e) => this.link.bounds[0] + (e.clientX - this.svg.getBoundingClientRect().left - LEFT) * this.per;
    const [a, b] = this.link.window || this.link.bounds, from = at(event), inside = from >= a && from <= b;
    const move = (e) => { const by = inside ? at(e) - from : at(e) - (a + b) / 2; this.link.look([a + by, b + by]); };
    this.svg.setPointerCapture(event.pointerId);
    move(event);
    whileHeld(this.svg, move, () => {});
  }

  key(event) {
    const [a, b] = this.link.window || this.link.bounds, by = { ArrowLeft: -0.5, ArrowRight: 0.5, PageUp: -1, PageDown: 1, Home: -1e9, End: 1e9 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.link.look([a + by * (b - a), b + by * (b - a)]);
  }
}
