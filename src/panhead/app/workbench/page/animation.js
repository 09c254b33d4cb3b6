// Animation of the line and the pantographs.
import { get } from "./api.js";
import { chainage, figure, ticks } from "./chart.js";
import { $, el, svg } from "./dom.js";
import { state } from "./state.js";

const FOOT = 36; // px below the drawing

export class Animation {
  constructor(refuse) {
    this.refuse = refuse;
    this.play = el("button", { type: "button", onclick: () => this.toggle() }, "Play");
    this.slider = el("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Time", style: "flex: 1", oninput: () => this.show(Number(this.slider.value)) });
    this.words = el("span", { class: "quiet", style: "min-width: 200px" });
    this.picture = svg("svg", { role: "img", "aria-label": "Line and pantographs" });
    this.instead = el("p", { class: "sentence", role: "status", id: "no-pictures" });
    this.tools = el("div", { class: "tools" }, this.play, this.slider, this.words);
    this.frame = el("div", { id: "picture" }, this.picture);
    $("view-animation").replaceChildren(this.instead, this.tools, this.frame);
    this.key = "";
    this.frames = 0; // number of the one that is shown
    new ResizeObserver(() => this.data && this.show(this.frames)).observe(this.frame);
  }

  /** Load the frames of the result on the page; `share`: progress of a run under way, or null. */
  async load(share) {
    const answer = state.result, query = answer?.kept ? { path: answer.kept } : { task: state.resultTask };
    const key = answer && !answer.stopped && !answer.failed ? JSON.stringify(query) : "";
    if (key && key === this.key) return;
    this.key = key;
    this.tell(key ? "Loading the animation." : missing(answer, share));
    if (!key) return;
    try {
      const data = await get("frames", query);
      if (key === this.key) this.take(data);
    } catch (error) {
      if (key !== this.key) return;
      this.key = "";
      this.tell("The animation of this run could not be loaded.");
      this.refuse(error);
    }
  }

  /** Show a message instead of the animation; "": show the animation. */
  tell(words) {
    if (words && this.running) this.toggle();
    if (words) this.data = null;
    this.instead.textContent = words;
    this.instead.hidden = !words;
    this.tools.hidden = this.frame.hidden = Boolean(words);
  }

  take(data) {
    const { times, wires } = data;
    if (!times.length) return this.tell("This run has no animation frames.");
    this.data = data;
    this.slider.max = times.length - 1;
    this.tell("");
    let [low, high] = [Infinity, -Infinity]; // of a long run there are more heights than a function takes arguments
    for (const v of Object.values(wires).flat(2)) if (v !== null) [low, high] = [Math.min(low, v), Math.max(high, v)];
    this.range = [low - 0.5, high + 0.15];
    this.show(0);
  }

  toggle() {
    this.running = !this.running;
    this.play.textContent = this.running ? "Pause" : "Play";
    if (!this.running) return;
    const begin = performance.now(), from = Number(this.slider.value) >= this.data.times.length - 1 ? 0 : Number(this.slider.value);
    const step = (now) => {
      if (!this.running) return;
      const times = this.data.times, at = times[from] + (now - begin) / 2000; // half speed: the eye follows
      let k = from;
      while (k < times.length - 1 && times[k + 1] <= at) k++;
      this.show(k);
      if (k < times.length - 1) requestAnimationFrame(step);
      else this.toggle();
    };
    requestAnimationFrame(step);
  }

  show(k) {
    const { times, x, wires, pantographs, heads } = this.data, width = this.picture.clientWidth || 700, height = this.picture.clientHeight || 300;
    this.slider.value = this.frames = k;
    const [low, high] = [x[k][0], x[k].at(-1)], [bottom, top] = this.range;
    const sx = (v) => 50 + ((v - low) / (high - low)) * (width - 62), sz = (v) => height - FOOT - ((v - bottom) / (top - bottom)) * (height - FOOT - 24);
    const origin = state.places === "chainage" ? state.drawing?.chainage || 0 : 0, place = (v, digits = 0) => (origin ? `km ${chainage(v + origin, digits)}` : `${figure(v)} m`);
    const parts = [svg("text", { x: 4, y: 12 }, "height above rail (m)"), svg("text", { x: width / 2, y: height - 4, "text-anchor": "middle", class: "quiet" }, `from ${place(low)} to ${place(high)} along the track`)];
    for (const [i, mast] of (state.drawing?.mast_x || []).entries()) {
      if (mast < low || mast > high) continue;
      parts.push(svg("line", { x1: sx(mast), x2: sx(mast), y1: 20, y2: height - FOOT, stroke: "var(--edge)", "stroke-dasharray": "2 3" }), svg("text", { x: sx(mast), y: height - 20, "text-anchor": "middle" }, `mast ${state.drawing.mast_labels[i]}`));
    }
    for (const v of ticks(bottom, top, Math.max(3, height / 50))) parts.push(svg("line", { x1: 50, x2: width - 12, y1: sz(v), y2: sz(v), stroke: "var(--grid)" }), svg("text", { x: 45, y: sz(v) + 4, "text-anchor": "end", class: "quiet" }, figure(v)));
    // of the wires of two tension lengths, that which hangs nearer to where the part is at rest
    const heightOf = (role, at, rest) => [role, `other_${role}`].map((r) => wires[r] && between(x[k], wires[r][k], at)).filter((z) => Number.isFinite(z))
      .sort((a, b) => Math.abs(a - rest) - Math.abs(b - rest))[0] ?? null;
    for (const d of state.drawing?.droppers || []) {
      if (d.x < low || d.x > high) continue;
      const [a, b] = [heightOf(d.upper, d.x, d.top), heightOf(d.lower, d.x, d.bottom)];
      if (a !== null && b !== null) parts.push(svg("line", { x1: sx(d.x), x2: sx(d.x), y1: sz(a), y2: sz(b), stroke: "var(--grey)" }));
    }
    for (const [role, rows] of Object.entries(wires)) {
      const points = x[k].map((v, i) => [v, rows[k][i]]);
      if (role === "stitch") closeEnds(points, wires.messenger[k]);
      const d = points.map(([v, z], i) => (z === null ? "" : `${i && points[i - 1][1] !== null ? "L" : "M"}${sx(v).toFixed(1)} ${sz(z).toFixed(1)}`)).join("");
      parts.push(svg("path", { class: `wire ${role}`, d }));
    }
    for (const [i, place] of pantographs[k].entries()) {
      const [px, pz] = [sx(place), sz(heads[k][i])];
      parts.push(svg("path", { d: `M${px - 12} ${pz}H${px + 12}M${px} ${pz}L${px - 16} ${(pz + height - FOOT) / 2}L${px} ${height - FOOT}`, fill: "none", stroke: "var(--c2)", "stroke-width": 3 }));
    }
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.replaceChildren(...parts);
    this.words.textContent = `${times[k].toFixed(2)} s, first pantograph at ${place(pantographs[k][0])}`;
  }
}

function missing(answer, share) {
  if (share !== null) return `A run is under way (${Math.round(100 * share)} %). The animation appears when it is finished.`;
  if (answer?.stopped) return "This run was stopped, so it has no animation. Run it to the end to see one.";
  return answer ? "This run failed, so it has no animation." : "Nothing has run yet. Press Run; the animation appears when the run is finished.";
}

/** A stitch wire ends on the messenger, between the last point where it hangs and the next one. */
function closeEnds(points, messenger) {
  const hangs = points.map(([, z]) => z !== null);
  for (let i = 0; i + 1 < points.length; i++) {
    if (hangs[i] === hangs[i + 1] || messenger[i] === null || messenger[i + 1] === null) continue;
    points[hangs[i] ? i + 1 : i] = [(points[i][0] + points[i + 1][0]) / 2, (messenger[i] + messenger[i + 1]) / 2];
  }
}

function between(x, y, at) {
  const i = x.findIndex((v) => v >= at);
  if (i < 1 || y[i] === null || y[i - 1] === null) return null;
  return y[i - 1] + ((y[i] - y[i - 1]) * (at - x[i - 1])) / (x[i] - x[i - 1]);
}
