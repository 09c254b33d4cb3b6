/* Curves over time below the picture, with a cursor at its moment; a press or drag goes to another moment. */

const LEFT = 62, RIGHT = 26, TOP = 20, BOTTOM = 22, GAP = 20; // px

class Strip {
  constructor(canvas, data, go) {
    Object.assign(this, { canvas, data, go, range: [data.start, data.end] });
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      go(mix(...this.range, clamp((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT), 0, 1)));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); at(event); });
    canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) at(event); });
  }

  /** Steps of 1, 2 or 5 tens, at most so many. */
  static ticks(low, high, most) {
    const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((d) => d * power).find((d) => d >= 0.999 * raw), found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  draw(t, colors) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1, { clientWidth: width,
      clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d"), [from, to] = this.range;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    const x = (time) => LEFT + (width - LEFT - RIGHT) * (time - from) / (to - from || 1);
    const count = this.data.panels.length, room = (height - TOP - BOTTOM - GAP * (count - 1)) / count;
    this.data.panels.forEach((panel, k) => {
      const top = TOP + k * (room + GAP);
      this.panel(pen, panel, { x, top, bottom: top + room, width, t, k }, colors);
    });
    this.times(pen, x, height, colors);
    pen.strokeStyle = colors.ink;
    pen.lineWidth = 1.5;
    stroke(pen, [[x(t), TOP - 4], [x(t), height - BOTTOM]]);
    canvas.dataset.cursor = x(t).toFixed(1);
  }

  panel(pen, panel, { x, top, bottom, width, t, k }, colors) {
    const [low, high] = panel.range, y = (v) => bottom - (bottom - top) * (v - low) / (high - low || 1);
    const { found, digits } = Strip.ticks(low, high, Math.max(2, Math.floor((bottom - top) / 20)));
    pen.lineWidth = 1;
    for (const v of found) {
      pen.strokeStyle = colors.grid;
      stroke(pen, [[LEFT, y(v)], [width - RIGHT, y(v)]]);
      text(pen, v.toFixed(digits), LEFT - 6, y(v) + 4, colors.grey, "right");
    }
    let free = LEFT;
    for (const mark of this.data.marks) {
      if (mark.t < this.range[0] || mark.t > this.range[1]) continue;
      pen.strokeStyle = colors.pale;
      stroke(pen, [[x(mark.t), top], [x(mark.t), bottom]]);
      const wide = pen.measureText(mark.text).width + 6;
      if (k > 0 || x(mark.t) < free || x(mark.t) + wide > width) continue;
      text(pen, mark.text, x(mark.t) + 3, top + 10, colors.grey);
      free = x(mark.t) + wide + 6;
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, top - 2, width - LEFT - RIGHT, bottom - top + 4);
    pen.clip();
    let right = LEFT;
    for (const curve of panel.curves) {
      pen.strokeStyle = colors[curve.color];
      pen.lineWidth = 1.6;
      stroke(pen, Array.from(curve.t, (time, i) => [x(time), y(curve.y[i])]));
    }
    pen.restore();
    text(pen, panel.label, LEFT, top - 7, colors.ink);
    right += pen.measureText(panel.label).width + 14;
    for (const curve of panel.curves) {
      const value = value_at(curve.t, curve.y, t), shown = Number.isFinite(value) ? value.toFixed(panel.digits) : "–";
      const words = `${curve.name}${curve.name ? " " : ""}${shown} ${panel.unit}`;
      pen.fillStyle = colors[curve.color];
      pen.beginPath();
      if (Number.isFinite(value)) pen.arc(x(t), clamp(y(value), top, bottom), 4, 0, 7);
      pen.fill();
      text(pen, words, right, top - 7, colors[curve.color]);
      right += pen.measureText(words).width + 14;
    }
  }

  times(pen, x, height, colors) {
    const { found, digits } = Strip.ticks(...this.range, 10);
    for (const v of found) text(pen, `${v.toFixed(digits)} s`, x(v), height - 7, colors.grey, "center");
  }
}

function stroke(pen, points) {
  pen.beginPath();
  let down = false;
  for (const [x, y] of points) {
    if (!Number.isFinite(y)) down = false;
    else if (down) pen.lineTo(x, y);
    else { pen.moveTo(x, y); down = true; }
  }
  pen.stroke();
}

function text(pen, words, x, y, color, align = "left") {
  pen.fillStyle = color;
  pen.textAlign = align;
  pen.fillText(words, x, y);
}
