// Studies: start and monitor them; they continue when the page is closed.
import { download, get, post } from "./api.js";
import { Chart, Link } from "./chart.js";
import { $, ask, el } from "./dom.js";
import { named } from "./library.js";
import { shipped, state } from "./state.js";

export class Studies {
  constructor(refuse, refresh) {
    Object.assign(this, { refuse, refresh, task: 0, path: "" });
    this.host = $("view-study");
    this.host.classList.add("scrolls");
    this.choice = el("select", { "aria-label": "Study", id: "study-choice" });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the study", hidden: true });
    this.words = el("span", { class: "quiet", role: "status" });
    this.halt = el("button", { type: "button", onclick: () => post("stop", { task: this.task }).catch(refuse) }, "Stop");
    this.halt.disabled = true;
    this.below = el("div", {}, el("p", { class: "quiet" }, "A study repeats a run: over the speed, or with random installation tolerances. Choose one and press Start, or make one of the run on this page. " +
      "It goes on when the page is closed; what has been computed is not computed again."));
    this.host.replaceChildren(el("div", { class: "tools" }, this.choice,
      el("button", { type: "button", id: "study-start", onclick: () => this.start(this.choice.value).catch(refuse) }, "Start"), this.halt,
      el("button", { type: "button", onclick: () => this.make().catch(refuse) }, "New study of this run…"), this.bar, this.words), this.below);
  }

  list(listing) {
    const now = this.choice.value, known = [...listing.files, ...listing.shipped].filter((f) => f.kind === "study");
    this.choice.replaceChildren(...known.map((f) => el("option", { value: f.path }, f.path.replace("shipped:study/", "shipped: "))));
    if (known.some((f) => f.path === now)) this.choice.value = now;
  }

  choose(path) {
    this.choice.value = path;
  }

  async start(path) {
    this.below.replaceChildren();
    this.task = (await post("study", { path })).task;
    this.words.textContent = "waiting";
    this.halt.disabled = false;
  }

  /** Create a study of the run on the page: a speed sweep or installation tolerances. */
  async make() {
    if (shipped(state.runPath)) throw new Error("A study refers to the file of its run. Save the run in the project first.");
    const options = [{ value: "speed", label: "speed sweep" }, { value: "tolerance", label: "installation tolerances" }];
    const kmh = Number(/^([\d.]+) *km\/h$/.exec(String(state.run.speed ?? ""))?.[1] ?? 250), near = (share) => `${10 * Math.round(share * kmh / 10)} km/h`;
    const made = await ask("New study", {
      form: { label: "Kind", options, value: "speed" }, to: { label: "Name", value: `${state.runPath.replace(/\.toml$/, "")}-study` },
      first: { label: "Sweep: from", value: near(0.8) }, last: { label: "Sweep: to", value: near(1.2) }, steps: { label: "Sweep: number of speeds", value: "11" },
      samples: { label: "Tolerances: number of lines", value: "64" },
    }, async ({ form, to, first, last, steps, samples }) => {
      const raw = { kind: "study", base: state.runPath.split("/").pop(), form };
      if (form === "speed") raw.vary = [{ input: "speed", first, last, steps: Number(steps) }];
      else { // the scatter of an erector; speed and pantograph are those of the run
        const { seed, scatter } = (await get("file", { path: "shipped:study/erection-tolerances" })).raw;
        Object.assign(raw, { samples: Number(samples), seed, scatter });
      }
      return post("save", { path: named(to), raw });
    });
    if (made) {
      await this.refresh("");
      this.choose(made.path);
    }
  }

  heard(event) {
    if (event.event === "progress" || event.event === "started") this.task = event.task;
    if (event.task !== this.task) return;
    this.bar.hidden = false;
    this.halt.disabled = ["done", "refused", "failed"].includes(event.event);
    if (event.event === "progress") {
      this.bar.value = event.share;
      this.words.textContent = event.words;
    } else if (event.event === "done") this.show(event);
    else if (["refused", "failed"].includes(event.event)) this.words.textContent = event.text;
  }

  show(answer) {
    this.bar.value = answer.stopped ? this.bar.value : 1;
    this.words.textContent = answer.stopped ? "stopped" : "done";
    const link = new Link(), boxes = (answer.curves || []).map(() => el("div"));
    this.below.replaceChildren(el("p", { class: "sentence", id: "study-sentence" }, answer.sentence), ...(answer.details || []).map((d) => el("p", { class: "quiet" }, d)),
      answer.report ? el("button", { type: "button", id: "study-report", onclick: () => download("study-report", { path: answer.report }).catch(this.refuse) }, "Download the report") : "", ...boxes);
    for (const [k, c] of (answer.curves || []).entries()) {
      const limited = c.limit.some((v) => v !== null) ? [{ name: "limit", x: c.x, y: c.limit, color: "var(--red)", dash: "6 4" }] : [];
      new Chart(boxes[k], { title: c.name, x: c.label, y: `${c.name} (${c.unit})`, unit: c.unit }, link).show([...limited, { name: c.name, x: c.x, y: c.y, dots: true }]);
    }
  }
}
