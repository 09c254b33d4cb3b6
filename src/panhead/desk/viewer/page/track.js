/* The track: places along it become places in space; ballast, sleepers, rails and cars. */

const SLEEPERS = 0.6, BED = 5, GROUND_Z = -0.85; // m

class Track {
  /** ``path``: s, x, y [m], heading and tilt [rad] of the middle of the track; null where it is straight and level. */
  constructor(path) { this.path = path; }

  /** Middle of the track at s, and the directions ahead, to the left and up, which lean with the cant. */
  frame(s) {
    if (!this.path) return { base: [s, 0, 0], ahead: [1, 0, 0], left: [0, 1, 0], up: [0, 0, 1], across: [0, 1, 0] };
    const { s: places, x, y, heading, tilt } = this.path, [k, share] = place_in(places, s);
    const h = mix(heading[k], heading[k + 1], share), f = mix(tilt[k], tilt[k + 1], share);
    const beyond = s < places[0] ? s - places[0] : Math.max(0, s - places[places.length - 1]);
    const ahead = [Math.cos(h), Math.sin(h), 0], across = [-Math.sin(h), Math.cos(h), 0];
    const base = add([mix(x[k], x[k + 1], share), mix(y[k], y[k + 1], share), 0], scaled(ahead, beyond));
    const left = [Math.cos(f) * across[0], Math.cos(f) * across[1], -Math.sin(f)];
    const up = [Math.sin(f) * across[0], Math.sin(f) * across[1], Math.cos(f)];
    return { base, ahead, left, up, across };
  }

  /** Place in space of s along, y to the left and z above the rails. */
  at(s, y, z) {
    if (!this.path) return [s, y, z];
    const { base, left, up } = this.frame(s);
    return add(base, add(scaled(left, y), scaled(up, z)));
  }

  /** The same, upright whatever the cant: for what stands beside the track. */
  beside(s, y, z) {
    if (!this.path) return [s, y, z];
    const { base, across } = this.frame(s);
    return add(base, add(scaled(across, y), [0, 0, z]));
  }

  box(r, s, y, z, half, color) {
    const { ahead, left, up } = this.frame(s);
    r.solid("box", this.at(s, y, z), scaled(ahead, half[0]), scaled(left, half[1]), scaled(up, half[2]), color);
  }

  /** What lies on the ground, so far to both sides of s. */
  draw(r, s, reach, colors) {
    for (let k = Math.floor((s - reach) / BED); k < (s + reach) / BED; k++) {
      const middle = (k + 0.5) * BED, { ahead, left, up } = this.frame(middle);
      const half = scaled(ahead, 0.502 * BED);
      r.solid("ballast", this.at(middle, 0, -0.55), half, scaled(left, 2.9), scaled(up, 0.3), colors.ballast);
      for (const side of [-1, 1]) {
        r.solid("box", this.at(middle, side * 0.7525, -0.075), half, scaled(left, 0.036), scaled(up, 0.075),
          colors.rail);
        r.solid("box", this.at(middle, side * 0.7525, -0.14), half, scaled(left, 0.075), scaled(up, 0.012),
          colors.rail);
      }
    }
    const near = Math.min(reach, 75);
    for (let k = Math.ceil((s - near) / SLEEPERS); k < (s + near) / SLEEPERS; k++) {
      this.box(r, k * SLEEPERS, 0, -0.2, [0.13, 1.3, 0.06], colors.sleeper);
    }
  }

  /** A car from floor to roof: its body with a band of windows, bogies and wheels. */
  car(r, s, length, roof, colors) {
    const { ahead, left, up } = this.frame(s), h = roof - 0.75;
    const body = (low, high, width, color) => r.solid("car", this.at(s, 0, low), scaled(ahead, length / 2 - 0.3),
      scaled(left, width), scaled(up, high - low), color);
    body(0.75, roof, 1.45, colors.car);
    for (const side of [-1, 1]) {
      this.box(r, s, side * 1.448, 0.75 + 0.5 * h, [length / 2 - 1.2, 0.012, 0.11 * h], colors.glass);
      this.box(r, s, side * 1.452, 0.75 + 0.2 * h, [length / 2 - 0.31, 0.01, 0.02 * h], colors.stripe);
    }
    this.box(r, s + length / 2, 0, 0.8 + 0.42 * h, [0.32, 0.75, 0.38 * h], colors.bogie);
    for (const bogie of [-0.36, 0.36]) {
      this.box(r, s + bogie * length, 0, 0.62, [1.5, 1.05, 0.14], colors.bogie);
      for (const axle of [-1.25, 1.25]) for (const side of [-1, 1]) {
        const hub = (y) => this.at(s + bogie * length + axle, side * y, 0.46);
        r.tube(hub(0.69), hub(0.82), 0.46, colors.wheel);
      }
    }
  }
}
