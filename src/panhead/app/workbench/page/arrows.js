// Arrows at the droppers: the way in which σ falls, from the gradient of the run on the page.
import { get, post } from "./api.js";
import { $ } from "./dom.js";
import { page, shipped, state } from "./state.js";

const LATE = 3; // s after which the page says why the arrows are not there yet

export class Arrows {
  constructor(redraw, refuse) {
    Object.assign(this, { redraw, refuse, timer: 0, asked: 0 });
  }

  /** The line or the run is another one: what the arrows said holds no more. */
  forget() {
    state.slopes = null;
    state.slopesTask = 0;
    this.tell("");
  }

  /** Ask for the gradient of the run on the page, if arrows are wanted. */
  async ask() {
    this.forget();
    this.redraw();
    if (!$("arrows").checked) return;
    const begin = performance.now(), mine = ++this.asked;
    this.timer = setInterval(() => this.tell(late((performance.now() - begin) / 1000), false), 250);
    this.tell(late(0), false);
    try {
      const { task } = await post("gradient", { run: state.run, line: state.line, path: shipped(state.runPath) ? "" : state.runPath, page });
      if (mine !== this.asked) return;
      state.slopesTask = task;
      const found = await get(`task/${task}`); // it may have ended before it was known here
      this.heard({ ...found.answer, event: found.state, task });
    } catch (error) {
      this.tell(`no arrows: ${error.message}`);
    }
  }

  heard(event) {
    if (event.task !== state.slopesTask) return;
    if (event.event === "done" && event.slopes) {
      state.slopesTask = 0;
      state.slopes = event;
      this.tell(Object.keys(event.slopes["dropper.length"] || {}).length ? "" : "no arrows: this line has no droppers");
      this.redraw();
    } else if (event.event === "done") this.tell("");
    else if (["refused", "failed"].includes(event.event)) {
      this.tell("no arrows for this run");
      this.refuse({ message: `No arrows: ${event.text}` });
    }
  }

  tell(words, end = true) {
    if (end) clearInterval(this.timer);
    $("arrows-words").textContent = words;
  }
}

function late(seconds) {
  if (seconds < LATE) return "computing …";
  const queued = $("progress").hidden ? "" : " The run on the page comes first.";
  return `computing, ${Math.round(seconds)} s. The gradient costs as much as several runs.${queued}`;
}
