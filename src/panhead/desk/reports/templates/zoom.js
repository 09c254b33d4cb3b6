"use strict";
// Zoom and pan along x of every drawing of class "zoom"; folded parts open when they are printed or linked to.
(() => {
  const openTo = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const details = target && target.querySelector("details");
    if (details) details.open = true;
  };
  addEventListener("hashchange", openTo);
  document.querySelectorAll("nav a").forEach((a) => a.addEventListener("click", () => setTimeout(openTo, 0)));
  openTo();
  let shut = [];
  addEventListener("beforeprint", () => { shut = [...document.querySelectorAll("details:not([open])")]; shut.forEach((d) => (d.open = true)); });
  addEventListener("afterprint", () => shut.forEach((d) => (d.open = false)));

  const LONGEST = 64; // times the whole
  const SVG = "http://www.w3.org/2000/svg";
  const steps = (low, high, wanted) => {
    const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= 0.999 * raw), found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push([k * step, step]);
    return found;
  };
  const label = (value, step, station) => {
    if (!station) return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
    const digits = step < 1 ? 1 : 0, size = Math.abs(value), km = Math.floor(size / 1000 + 1e-9);
    const rest = (size - 1000 * km).toFixed(digits).padStart(3 + (digits ? 2 : 0), "0");
    return `${value < 0 ? "−" : ""}${km}+${rest}`;
  };

  document.querySelectorAll("svg.zoom").forEach((drawing) => {
    const plots = [...drawing.querySelectorAll("svg.plot")];
    const first = plots[0];
    if (!first) return;
    const number = (element, name) => parseFloat(element.getAttribute(name));
    const left = number(first, "x"), width = number(first, "width");
    const low = number(first, "data-low"), high = number(first, "data-high");
    const station = first.hasAttribute("data-station"), offset = station ? number(first, "data-station") : 0;
    const ticks = drawing.querySelector("g.ticks"), names = [...drawing.querySelectorAll("g.names text")];
    let from = 0, share = 1; // of the whole that is shown
    const show = () => {
      share = Math.min(1, Math.max(1 / LONGEST, share));
      from = Math.min(1 - share, Math.max(0, from));
      plots.forEach((plot) => {
        const height = number(plot, "height");
        plot.setAttribute("viewBox", `${from * width} 0 ${share * width} ${height}`);
        plot.setAttribute("preserveAspectRatio", "none");
      });
      drawing.dataset.from = (low + from * (high - low)).toPrecision(7);
      drawing.dataset.to = (low + (from + share) * (high - low)).toPrecision(7);
      if (ticks) {
        const y = ticks.querySelector("text") ? number(ticks.querySelector("text"), "y") : 0;
        const a = low + offset + from * (high - low), b = a + share * (high - low);
        ticks.replaceChildren(...steps(a, b, Math.max(2, width / 100)).map(([value, step]) => {
          const text = document.createElementNS(SVG, "text");
          text.setAttribute("x", left + (width * (value - a)) / (b - a));
          text.setAttribute("y", y);
          text.setAttribute("text-anchor", "middle");
          text.setAttribute("fill", "var(--grey)");
          text.textContent = label(value, step, station);
          return text;
        }));
      }
      let end = -Infinity;
      names.forEach((text) => {
        const at = (number(text, "data-share") - from) / share, x = left + width * at;
        const half = 3 * text.textContent.length, inside = at >= -1e-6 && at <= 1 + 1e-6 && x - half > end + 8;
        text.setAttribute("display", inside ? "inline" : "none");
        if (inside) { text.setAttribute("x", x); end = x + half; }
      });
    };
    const zoom = (factor, about = 0.5) => { const place = from + about * share; share = Math.min(1, Math.max(1 / LONGEST, share * factor)); from = place - about * share; show(); };
    const at = (event) => {
      const box = drawing.getBoundingClientRect(), scale = drawing.viewBox.baseVal.width / box.width;
      return ((event.clientX - box.left) * scale - left) / width;
    };
    const bar = document.createElement("div");
    bar.className = "zoom-bar";
    const button = (text, words, action) => {
      const made = document.createElement("button");
      made.type = "button"; made.textContent = text; made.title = words; made.setAttribute("aria-label", words);
      made.addEventListener("click", action);
      bar.append(made);
    };
    button("+", "Zoom in", () => zoom(0.5));
    button("−", "Zoom out", () => zoom(2));
    button("‹", "Move left", () => { from -= 0.4 * share; show(); });
    button("›", "Move right", () => { from += 0.4 * share; show(); });
    button("All", "Show the whole length", () => { from = 0; share = 1; show(); });
    const hint = document.createElement("span");
    hint.textContent = "double-click or Ctrl + wheel to zoom, drag to move";
    if (!document.querySelector(".zoom-bar")) bar.append(hint); // said once
    drawing.closest("figure").insertBefore(bar, drawing.closest(".scroll"));
    drawing.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.min(1, Math.max(0, at(event))));
    }, { passive: false });
    drawing.addEventListener("dblclick", (event) => zoom(0.5, Math.min(1, Math.max(0, at(event)))));
    let held = null;
    drawing.addEventListener("pointerdown", (event) => { held = at(event); drawing.setPointerCapture(event.pointerId); });
    drawing.addEventListener("pointermove", (event) => { if (held === null) return; const now = at(event); from -= (now - held) * share; held = now; show(); });
    ["pointerup", "pointercancel"].forEach((kind) => drawing.addEventListener(kind, () => (held = null)));
  });
})();
