"use strict";
(() => {
  const INK = "var(--ink)", SOFT = "var(--soft)", GRID = "var(--grid)", NOW = "var(--red)";
  const FONT = "12px system-ui, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
  const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100];
  const PREFERRED_SECONDS = 12;

  // The value of a colour of the style sheet: a canvas knows no variables.
  const shades = new Map();
  function shade(color) {
    if (!shades.has(color)) {
      const found = /^var\((--[\w-]+)\)$/.exec(color);
      shades.set(color, found ? getComputedStyle(document.documentElement).getPropertyValue(found[1]).trim() : color);
    }
    return shades.get(color);
  }

  // An array comes as base64: float32, or uint16 steps above a lowest value (65535 is a gap).
  function unpack(packed) {
    if (!packed) return null;
    const bytes = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
    if (packed.kind === "f4") return new Float32Array(bytes.buffer);
    const steps = new Uint16Array(bytes.buffer);
    return Float64Array.from(steps, (s) => (s === 65535 ? NaN : packed.low + packed.step * s));
  }

  function ticks(low, high, wanted) {
    const raw = (high - low) / Math.max(1, wanted);
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) || 10);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
      found.push([k * step, (k * step || 0).toFixed(Math.min(digits, 9)).replace("-", "−")]);
    return found;
  }

  // Ticks of places along a line whose first mast has a chainage: 14+230.
  function stations(low, high, wanted, station) {
    return ticks(low + station, high + station, wanted).map(([x, text]) => {
      const decimals = (text.split(".")[1] || "").length, size = Math.abs(x), km = Math.floor(size / 1000 + 1e-9);
      const metres = Math.abs(size - 1000 * km).toFixed(decimals).padStart(decimals ? 4 + decimals : 3, "0");
      return [x - station, `${x < 0 ? "−" : ""}${km}+${metres}`];
    });
  }

  // Axes, grid and labels of one box; hands back the maps from metres to pixels.
  function axes(pen, box, view, labels, station = null) {
    const X = (x) => box.left + ((x - view.x0) / (view.x1 - view.x0)) * box.width;
    const Y = (y) => box.top + box.height - ((y - view.y0) / (view.y1 - view.y0)) * box.height;
    pen.font = FONT; pen.lineWidth = 1; pen.strokeStyle = shade(GRID); pen.fillStyle = shade(SOFT);
    pen.textAlign = "center"; pen.textBaseline = "top";
    const along = station === null ? ticks(view.x0, view.x1, box.width / 55) : stations(view.x0, view.x1, box.width / 75, station);
    for (const [x, text] of along) {
      pen.beginPath(); pen.moveTo(X(x), box.top); pen.lineTo(X(x), box.top + box.height); pen.stroke();
      pen.fillText(text, X(x), box.top + box.height + 5);
    }
    pen.textAlign = "right"; pen.textBaseline = "middle";
    for (const [y, text] of ticks(view.y0, view.y1, box.height / 36)) {
      pen.beginPath(); pen.moveTo(box.left, Y(y)); pen.lineTo(box.left + box.width, Y(y)); pen.stroke();
      pen.fillText(text, box.left - 6, Y(y));
    }
    pen.strokeStyle = shade(SOFT);
    pen.beginPath(); pen.moveTo(box.left, box.top); pen.lineTo(box.left, box.top + box.height);
    pen.lineTo(box.left + box.width, box.top + box.height); pen.stroke();
    pen.fillStyle = shade(INK); pen.textAlign = "center"; pen.textBaseline = "bottom";
    pen.fillText(labels[0], box.left + box.width / 2, box.top + box.height + 38);
    pen.save(); pen.translate(14, box.top + box.height / 2); pen.rotate(-Math.PI / 2);
    pen.textBaseline = "middle"; pen.fillText(labels[1], 0, 0, box.height + 30); pen.restore();
    return [X, Y];
  }

  function player(figure) {
    const data = JSON.parse(figure.querySelector("script.data").textContent);
    const times = unpack(data.times), frames = times.length;
    const first = times[0], last = times[frames - 1];
    const curves = data.curves.map((c) => ({ ...c, x: unpack(c.x), y: unpack(c.y) }));
    const follow = unpack(data.follow);
    const traces = data.traces.map((t) => ({ ...t, times: unpack(t.times), values: unpack(t.values) }));
    const canvas = figure.querySelector("canvas"), pen = canvas.getContext("2d");
    const button = figure.querySelector(".play"), scrub = figure.querySelector(".scrub");
    const clock = figure.querySelector(".clock"), speed = figure.querySelector(".speed");
    const digits = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10((last - first) || 1))));
    let now = first, running = false, before = 0;

    // Frame below the moment, and how far it is on the way to the next one.
    function moment() {
      let low = 0, high = frames - 1;
      while (high - low > 1) { const mid = (low + high) >> 1; if (times[mid] <= now) low = mid; else high = mid; }
      const gap = times[high] - times[low];
      return [low, high, gap > 0 ? (now - times[low]) / gap : 0];
    }
    const between = (values, i, j, w) => values[i] + w * (values[j] - values[i]);

    // One coordinate of point k: a resting curve has one row, a moving one a row for each frame.
    function at(values, n, k, m) {
      return values.length === n ? values[k] : between(values, m[0] * n + k, m[1] * n + k, m[2]);
    }

    function view(box, m) {
      let [x0, x1, y0, y1] = data.extent;
      if (follow) { const c = between(follow, m[0], m[1], m[2]); x0 = c - data.width / 2; x1 = c + data.width / 2; }
      if (data.equal) {
        const scale = Math.max((x1 - x0) / box.width, (y1 - y0) / box.height);
        const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2;
        x0 = cx - (scale * box.width) / 2; x1 = cx + (scale * box.width) / 2;
        y0 = cy - (scale * box.height) / 2; y1 = cy + (scale * box.height) / 2;
      }
      return { x0, x1, y0, y1 };
    }

    function heights(width) {
      const [x0, x1, y0, y1] = data.extent, across = follow ? data.width : x1 - x0;
      const free = data.equal ? (width * (y1 - y0)) / across : Math.max(220, width * 0.36);
      return [Math.max(200, Math.min(460, free)), traces.length ? 110 : 0];
    }

    // A curve with gaps is that of the nearer frame: between frames its ends would vanish into the gaps.
    function drawCurve(curve, X, Y, moment) {
      const near = moment[2] < 0.5 ? moment[0] : moment[1], m = curve.gaps ? [near, near, 0] : moment;
      const n = curve.points, dots = [];
      pen.strokeStyle = pen.fillStyle = shade(curve.color); pen.lineWidth = curve.width;
      pen.lineJoin = pen.lineCap = "round";
      pen.beginPath();
      let down = false;
      for (let k = 0; k < n; k++) {
        const x = X(at(curve.x, n, k, m)), y = Y(at(curve.y, n, k, m));
        if (!(isFinite(x) && isFinite(y))) { down = false; continue; }
        if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
        down = true;
        if (curve.dots) dots.push([x, y]);
      }
      if (curve.width > 0) pen.stroke();
      for (const [x, y] of dots) { pen.beginPath(); pen.arc(x, y, curve.width + 2.2, 0, 2 * Math.PI); pen.fill(); }
    }

    function drawTraces(box) {
      let low = Infinity, high = -Infinity;
      for (const { values } of traces) for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
      const pad = 0.06 * (high - low) || 1;
      const [X, Y] = axes(pen, box, { x0: first, x1: last > first ? last : first + 1, y0: low - pad, y1: high + pad },
        ["time (s)", ""]);
      pen.textAlign = "left"; pen.textBaseline = "alphabetic";
      let right = box.left;
      for (const { label, color } of traces) {
        pen.fillStyle = shade(traces.length > 1 ? color : INK);
        pen.fillText(label, right, box.top - 7, box.width / traces.length - 10);
        right += Math.min(pen.measureText(label).width, box.width / traces.length - 10) + 20;
      }
      for (const trace of traces) drawTrace(trace, X, Y);
    }

    function drawTrace({ times: moments, values, color }, X, Y) {
      let k = 0;
      while (k < moments.length - 2 && moments[k + 1] <= now) k++;
      const gap = moments[k + 1] - moments[k], w = gap > 0 ? Math.min(1, Math.max(0, (now - moments[k]) / gap)) : 0;
      const here = values.length > 1 ? between(values, k, k + 1, w) : values[0];
      const line = (end, color, width) => {
        pen.strokeStyle = shade(color); pen.lineWidth = width; pen.lineJoin = "round"; pen.beginPath();
        for (let i = 0; i <= end; i++) pen.lineTo(X(moments[i]), Y(values[i]));
        if (end < values.length - 1) pen.lineTo(X(now), Y(here));
        pen.stroke();
      };
      line(values.length - 1, "var(--pale)", 1.2); line(k, color, 1.8);
      pen.fillStyle = shade(NOW); pen.beginPath(); pen.arc(X(now), Y(here), 4.5, 0, 2 * Math.PI); pen.fill();
    }

    function draw() {
      const width = canvas.clientWidth || 600, ratio = window.devicePixelRatio || 1;
      const left = 62, inner = Math.max(80, width - left - 16), [scene, strip] = heights(inner);
      const height = 14 + scene + 44 + (strip ? strip + 70 : 0);
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = shade("var(--paper)"); pen.fillRect(0, 0, width, height);
      const m = moment(), box = { left, top: 14, width: inner, height: scene };
      const [X, Y] = axes(pen, box, view(box, m), [data.x_label, data.y_label], data.station);
      pen.save(); pen.beginPath(); pen.rect(box.left, box.top, box.width, box.height); pen.clip();
      for (const curve of curves) drawCurve(curve, X, Y, m);
      pen.restore();
      if (strip) drawTraces({ left, top: 14 + scene + 70, width: inner, height: strip });
      clock.textContent = now.toFixed(digits) + " s";
      scrub.value = now;
      figure.dataset.time = now;
    }

    function go(to) { now = Math.min(last, Math.max(first, to)); draw(); }
    function run(on) {
      if (on && now >= last) now = first;
      running = on; before = 0;
      button.textContent = on ? "❚❚ Pause" : "▶ Play";
      button.setAttribute("aria-pressed", String(on));
      if (on) requestAnimationFrame(tick);
    }
    function tick(stamp) {
      if (!running) return;
      const passed = before ? (stamp - before) / 1000 : 0;
      before = stamp;
      go(now + passed * Number(speed.value));
      if (now >= last) run(false); else requestAnimationFrame(tick);
    }
    function step(by) { run(false); const m = moment(), k = Math.round(m[0] + m[2]); go(times[Math.min(frames - 1, Math.max(0, k + by))]); }

    const best = SPEEDS.reduce((a, b) => {
      const miss = (s) => Math.abs(Math.log(((last - first) || 1) / s / PREFERRED_SECONDS));
      return miss(b) < miss(a) ? b : a;
    });
    for (const s of SPEEDS) speed.add(new Option(s + "×", s, s === best, s === best));
    scrub.min = first; scrub.max = last;
    for (const curve of curves) {
      if (!curve.name) continue;
      const item = figure.querySelector(".key").appendChild(document.createElement("li"));
      const sample = item.appendChild(document.createElement("i"));
      sample.style.background = curve.color; sample.style.height = Math.max(2, Math.min(curve.width, 5)) + "px";
      item.append(curve.name);
    }
    button.addEventListener("click", () => run(!running));
    scrub.addEventListener("input", () => { run(false); go(Number(scrub.value)); });
    figure.addEventListener("keydown", (event) => {
      const onControl = event.target !== figure && event.target.tagName !== "CANVAS" && event.target !== scrub;
      const does = { " ": () => run(!running), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
        Home: () => { run(false); go(first); }, End: () => { run(false); go(last); } }[event.key];
      if (onControl || !does) return;
      event.preventDefault(); does();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { shades.clear(); draw(); });
    let known = 0;
    new ResizeObserver(() => { if (canvas.clientWidth !== known) { known = canvas.clientWidth; draw(); } }).observe(figure);
    draw();
  }

  document.querySelectorAll("figure.animation").forEach(player);
})();
