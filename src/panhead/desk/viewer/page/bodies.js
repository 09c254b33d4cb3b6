/* Bodies, beams, wires, wheels and forces of a motion, each where it was recorded. */

class BodiesScene {
  constructor(data) {
    Object.assign(this, { data, exaggerates: false, size: data.size,
      focuses: data.parts.filter((p) => p.follow).map((p) => p.name) });
    this.floor = data.floor + 0.02 * data.size;
    const flat = data.planar ? { azimuth: -1.36, elevation: 0.16 } : { azimuth: -1.0, elevation: 0.3 };
    const fit = (1.2 * Math.max(data.height, 0.45 * data.size)) / (2 * Math.tan(0.36));
    this.home = { ...flat, distance: fit + 0.2 * data.size };
    this.views = { "three-quarter": this.home, side: { azimuth: -Math.PI / 2, elevation: 0.03, distance: fit },
      front: { azimuth: 0, elevation: 0.05, distance: fit }, above: { azimuth: -Math.PI / 2, elevation: 1.35,
        distance: 1.8 * data.size } };
  }

  world(theme) {
    const { size, floor, mesh } = this.data;
    const sun = unit([-0.45, -0.6, 0.9]);
    return { ...theme, floor_color: theme.plate, ground: floor, mesh, sight: 12 * size, size, shade: 1.1 * size, sun };
  }

  prepare(t) { Object.assign(this, { t, when: place_in(this.data.frames, t) }); }

  /** Point j of a row of points over time, now. */
  point(points, j) {
    const [k, s] = this.when, n = points.shape[1], a = 3 * (k * n + j),
      b = a + (this.data.frames.length > 1 ? 3 * n : 0);
    return [0, 1, 2].map((i) => mix(points[a + i], points[b + i], s));
  }

  followed(index) {
    if (index < 0) return { place: this.data.middle, heading: 0 };
    const part = this.data.parts.filter((p) => p.follow)[index], n = part.points.shape[1];
    let sum = [0, 0, 0];
    for (let j = 0; j < n; j++) sum = add(sum, scaled(this.point(part.points, j), 1 / n));
    return { place: sum, heading: 0 };
  }

  draw(r, colors) {
    for (const part of this.data.parts) {
      const points = Array.from({ length: part.points.shape[1] }, (_, j) => this.point(part.points, j));
      this[part.shape](r, part, points.filter((p) => p.every(Number.isFinite)), colors.hues[part.hue], colors);
    }
    return this.data.arrows.flatMap((arrows) => this.draw_arrows(r, arrows, colors));
  }

  /** A wire or beam: its curve. */
  wire(r, part, points, color) {
    r.line(points, part.radius, color);
    for (const p of points) r.ball(p, part.radius, color);
  }

  /** A body in space: a round bar through its places. */
  rod(r, part, points, color, colors) {
    if (points.length === 1) return this.block(r, part, points[0], color);
    r.line(points, part.radius, color);
    for (const p of points) r.ball(p, 1.45 * part.radius, points.length > 1 ? colors.joint : color);
  }

  /** A body in a plane: a flat bar with round ends, in a layer of its own, and the pins through it. */
  link(r, part, points, color, colors) {
    if (points.length === 1) return this.block(r, part, points[0], color);
    const d = part.radius, layer = [0, part.layer * 0.9 * d, 0], thick = [0, 0.36 * d, 0], wide = 1.25 * d;
    for (let k = 0; k < points.length; k++) {
      const p = add(points[k], layer);
      r.tube(sub(p, thick), add(p, thick), wide, color);
      r.tube(sub(points[k], [0, 1.9 * d, 0]), add(points[k], [0, 1.9 * d, 0]), 0.5 * d, colors.joint);
      if (!k) continue;
      const before = add(points[k - 1], layer), along = scaled(sub(p, before), 0.5);
      if (Math.hypot(...along) < 1e-9) continue;
      r.solid("box", between(before, p, 0.5), along, thick, scaled(unit(cross(along, [0, 1, 0])), wide), color);
    }
  }

  /** A body of which one place is known. */
  block(r, part, place, color) {
    const d = 2.2 * part.radius;
    r.solid("box", place, [1.3 * d, 0, 0], [0, d, 0], [0, 0, d], color);
  }

  /** A force between two ends: a coil. */
  spring(r, part, points, color) {
    if (points.length < 2) return;
    const [a, b] = points, [u, v] = frame_about(sub(b, a)), turns = 9, coil = [a], n = 12 * turns;
    for (let k = 0; k <= n; k++) {
      const s = 0.12 + 0.76 * k / n, angle = 2 * Math.PI * turns * k / n;
      coil.push(add(between(a, b, s), add(scaled(u, 2.2 * part.radius * Math.cos(angle)), scaled(v,
        2.2 * part.radius * Math.sin(angle)))));
    }
    r.line([...coil, b], 0.35 * part.radius, color);
  }

  /** Places of the ground: a foot under each, or over it where the model hangs. */
  mark(r, part, points, color, colors) {
    const d = part.radius, { middle, height } = this.data;
    for (const p of points) {
      const out = p[2] > middle[2] + 0.1 * height ? d : -d;
      r.tube(add(p, [0, 0, 3.2 * out]), p, 2.4 * d, colors.steel, { end: 0.7 * d });
      r.solid("box", add(p, [0, 0, 3.5 * out]), [3.4 * d, 0, 0], [0, 2.6 * d, 0], [0, 0, 0.35 * d], colors.steel);
    }
  }

  /** A body as a box: its centre and the tips of its half axes. */
  box(r, part, points, color) {
    const [c, u, v, w] = points;
    r.solid("box", c, sub(u, c), sub(v, c), sub(w, c), color);
  }

  /** Two wheels on an axle: their middles. */
  axle(r, part, points, color, colors) {
    const [a, b, rim] = points, along = unit(sub(b, a)), wide = 0.065, radius = part.radius;
    r.tube(a, b, 0.16 * radius, colors.joint);
    for (const [hub, out] of [[a, -1], [b, 1]]) {
      r.tube(add(hub, scaled(along, -wide)), add(hub, scaled(along, wide)), radius, color);
      r.tube(add(hub, scaled(along, -wide * out)), add(hub, scaled(along, -0.5 * wide * out)), 1.06 * radius, color);
      const spoke = sub(rim, a), tip = add(hub, scaled(spoke, 0.75)), lip = scaled(along, wide * 1.02 * out);
      r.tube(add(hub, lip), add(tip, lip), 0.06 * radius, colors.glass);
    }
  }

  draw_arrows(r, { foot, force, metres_per_newton, radius }, colors) {
    const found = [], n = foot.shape[1];
    for (let j = 0; j < n; j++) {
      const [place, newtons] = [this.point(foot, j), this.point(force, j)];
      if (![...place, ...newtons].every(Number.isFinite)) continue;
      const along = scaled(newtons, metres_per_newton);
      r.arrow(place, along, radius, colors.force);
      const size = Math.hypot(...newtons);
      const text = size >= 1e4 ? `${(size / 1e3).toFixed(1)} kN` : `${size.toPrecision(3)} N`;
      if (n <= 4 && Math.hypot(...along) > 4 * radius) found.push({ place: add(place, along), text });
    }
    return found;
  }
}
