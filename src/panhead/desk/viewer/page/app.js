/* The page: clock, controls, keys and address (#t=2.5&x=4&follow=0&view=side); a picture whenever something changed. */

const RATES = [1, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01];
const SLOW = 50; // ms for a picture
const find = (id) => document.getElementById(id);

class App {
  constructor(data) {
    this.data = data;
    this.scene = data.kind === "line" ? new LineScene(data) : new BodiesScene(data);
    this.renderer = new Renderer(find("space"));
    this.camera = new OrbitCamera(this.scene, find("space"), () => this.ask());
    this.strip = new Strip(find("strip"), data.strip, (t) => { this.pause(); this.go(t); });
    [this.first, this.last] = [data.frames[0], data.frames[data.frames.length - 1]];
    Object.assign(this, { t: this.first, playing: false, rate: 1, exaggeration: data.exaggeration || 1, labels: [],
      sharpness: 1, pace: 0 });
    this.controls();
    this.keys();
    this.theme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme());
    new ResizeObserver(() => this.ask()).observe(find("stage"));
    addEventListener("hashchange", () => this.read_address());
    this.read_address();
  }

  theme() {
    this.colors = theme_now();
    this.world = this.scene.world(this.colors.world);
    this.ask();
  }

  controls() {
    const wanted = (this.last - this.first) / 12; // twelve seconds for the whole
    const rate = RATES.find((r) => r <= 1.3 * wanted) || RATES[RATES.length - 1];
    fill(find("rate"), RATES.map((r) => [r, r === 1 ? "real time" : `1 : ${Math.round(1 / r)}`]), rate);
    this.rate = rate;
    find("rate").onchange = (event) => { this.rate = Number(event.target.value); };
    const follow = this.scene.focuses.map((name, k) => [k, `follow ${name}`]);
    const whole = this.data.kind === "line" ? [] : [[-1, "whole model"]];
    fill(find("follow"), [...whole, ...follow, ["free", "free camera"]], whole.length ? -1 : 0);
    if (whole.length) this.camera.focus = -1;
    find("follow").onchange = (event) => this.follow(event.target.value);
    fill(find("view"), Object.keys(this.scene.views).map((name) => [name, name]), "three-quarter");
    find("view").onchange = (event) => this.camera.look(this.scene.views[event.target.value]);
    find("play").onclick = () => (this.playing ? this.pause() : this.play());
    find("time").oninput = (event) => { this.pause(); this.go(mix(this.first, this.last, event.target.value / 1000)); };
    find("exaggeration").oninput = (event) => this.exaggerate(Number(event.target.value));
    find("exaggerate").hidden = !this.scene.exaggerates;
    this.exaggerate(this.exaggeration);
  }

  follow(value) {
    find("follow").value = value;
    if (value !== "free") { this.camera.settled = false; this.camera.follow(Number(value)); }
    else this.camera.follow(-1);
  }

  exaggerate(factor) {
    this.exaggeration = factor;
    find("exaggeration").value = factor;
    find("factor").textContent = factor === 1 ? "to scale" : `× ${factor}`;
    this.ask();
  }

  keys() {
    const step = (this.last - this.first) / 200, size = Number(find("exaggeration").max);
    const acts = {
      " ": () => (this.playing ? this.pause() : this.play()), ArrowRight: () => this.jump(step),
        ArrowLeft: () => this.jump(-step),
      PageDown: () => this.jump(10 * step), PageUp: () => this.jump(-10 * step), Home: () => this.go(this.first),
        End: () => this.go(this.last),
      f: () => this.follow("free"), "+": () => this.exaggerate(Math.min(size, this.exaggeration + 1)),
      "-": () => this.exaggerate(Math.max(1, this.exaggeration - 1)),
    };
    this.scene.focuses.slice(0, 9).forEach((_, k) => { acts[String(k + 1)] = () => this.follow(String(k)); });
    document.addEventListener("keydown", (event) => {
      const own = event.target.matches("select, input") && event.key !== "+" && event.key !== "-";
      if (own || event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
      event.preventDefault();
      acts[event.key]();
    });
  }

  read_address() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const number = (key, act) => {
      const value = Number(asked.get(key) ?? NaN);
      if (Number.isFinite(value)) act(value);
    };
    if (asked.has("view") && asked.get("view") in this.scene.views) {
      find("view").value = asked.get("view");
      this.camera.look(this.scene.views[asked.get("view")]);
    }
    const whom = asked.get("follow");
    if ([...find("follow").options].some((option) => option.value === whom)) this.follow(whom);
    number("azimuth", (v) => { this.camera.azimuth = v; });
    number("elevation", (v) => { this.camera.elevation = v; });
    number("distance", (v) => { this.camera.distance = v; });
    number("x", (v) => this.exaggerate(clamp(v, 1, Number(find("exaggeration").max))));
    number("t", (v) => this.go(v));
    this.ask();
  }

  jump(by) { this.pause(); this.go(this.t + by); }

  go(t) {
    this.t = clamp(t, this.first, this.last);
    this.ask();
  }

  play() {
    if (this.t >= this.last) this.t = this.first;
    this.playing = true;
    this.before = null;
    this.buttons();
    this.ask();
  }

  pause() {
    Object.assign(this, { playing: false, sharpness: 1, pace: 0 });
    this.buttons();
    this.ask();
  }

  buttons() {
    find("play").textContent = this.playing ? "❚❚" : "▶";
    find("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => { this.asked = false; this.picture(now); });
  }

  picture(now) {
    if (this.playing) {
      if (this.before !== null) this.step(now - this.before);
      this.before = now;
      if (this.t >= this.last) this.t = this.first;
      this.ask();
    }
    this.resize();
    this.scene.prepare(this.t, this.exaggeration);
    const camera = this.camera.update();
    this.renderer.begin(camera.aim);
    const labels = this.scene.draw(this.renderer, this.colors.stuff, this.data.kind === "line" ? camera.focus : 0);
    this.renderer.finish(camera, this.world);
    this.write(labels);
    this.strip.draw(this.t, this.colors.css);
    document.body.dataset.drawn = this.t.toFixed(6);
  }

  /** Go on by so many milliseconds; where pictures take long, they become coarser until the next pause. */
  step(passed) {
    this.t += this.rate * Math.min(0.1, passed / 1000);
    this.pace = mix(this.pace, passed, 0.2);
    if (this.pace > SLOW && this.sharpness > 0.5) Object.assign(this, { sharpness: 0.8 * this.sharpness, pace: 0 });
  }

  resize() {
    const canvas = find("space"), ratio = Math.min(2, window.devicePixelRatio || 1) * this.sharpness;
    const size = [canvas.clientWidth, canvas.clientHeight].map((v) => Math.max(1, Math.round(v * ratio)));
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  }

  /** Time, place and forces in words. */
  write(labels) {
    const share = (this.t - this.first) / (this.last - this.first || 1), stage = find("stage");
    find("time").value = 1000 * share;
    const place = this.scene.heads ? `, ${place_text(this.data.chainage, this.scene.heads[0].s)}` : "";
    find("now").textContent = `${this.t.toFixed(3)} s${place}`;
    while (this.labels.length < labels.length) {
      this.labels.push(stage.appendChild(Object.assign(document.createElement("div"), { className: "label" })));
    }
    this.labels.forEach((label, k) => {
      const at = labels[k] && this.renderer.on_screen(labels[k].place);
      label.hidden = !at;
      if (!at) return;
      label.textContent = labels[k].text;
      const [x, y] = [at[0] * stage.clientWidth, at[1] * stage.clientHeight];
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(10px, -50%)`;
      label.classList.toggle("lost", Boolean(labels[k].lost));
    });
  }
}

/** "at 271.7 m" from the first mast, or "km 12+345.6" where the line has a chainage. */
function place_text(chainage, s) {
  if (!chainage) return `at ${s.toFixed(1)} m`;
  const tenths = Math.round(10 * (chainage + s)), kilometre = Math.floor(tenths / 1e4);
  return `km ${kilometre}+${((tenths - 1e4 * kilometre) / 10).toFixed(1).padStart(5, "0")}`;
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, words]) => new Option(words, value, false,
    String(value) === String(chosen))));
}

try {
  new App(unpacked(JSON.parse(find("scene").textContent)));
} catch (error) {
  find("trouble").hidden = false;
  find("trouble").textContent = error.message;
  throw error;
}
