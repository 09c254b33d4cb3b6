/* A run under a line: wires that move, droppers that slacken, masts, the train and the contact forces. */

const SEEN = 200; // of line drawn to each side [m]
const MENDED = 1.6; // of wire to each side of a head that is drawn through the contact [m]
const BOW = 7; // parts of a slack dropper

class LineScene {
  constructor(data) {
    Object.assign(this, { data, track: new Track(data.path), exaggerates: true });
    this.focuses = data.pantographs.map((p, k) => `pantograph ${k + 1}`);
    Object.assign(this, { size: 10, floor: GROUND_Z + 0.4 });
    const seen = (azimuth, elevation, distance) => ({ azimuth: azimuth * -data.side, elevation,
      distance }); // not behind masts
    this.home = seen(0.82, 0.14, 8.2);
    this.views = { "three-quarter": this.home, side: seen(Math.PI / 2, 0.04, 11), front: seen(0.16, 0.1, 7),
      above: seen(1.3, 0.75, 13) };
  }

  world(theme) {
    return { ...theme, ground: GROUND_Z, mesh: -1, sight: 210, size: 10, shade: 16, sun: unit([-0.35, -0.5, 0.9]) };
  }

  /** Motion of a wire at x now, [m] from rest; wires beyond what was recorded rest. */
  moved(name, x) {
    const field = this.data.motion.fields[name];
    if (!field) return 0;
    const { first, apart } = this.data.motion, [k, s] = this.when, n = field.shape[1];
    const one = (frame) => {
      const place = clamp((x - first[frame]) / apart, 0, n - 1.001), i = Math.floor(place), row = frame * n;
      const get = (j) => field[row + clamp(j, 0, n - 1)] || 0;
      const [a, b, c, d] = [get(i - 1), get(i), get(i + 1), get(i + 2)], u = place - i;
      return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
    };
    const left = x - mix(first[k], first[k + 1], s), fade = smooth(0, 6, left) * smooth(0, 6, (n - 1) * apart - left);
    return fade && fade * mix(one(k), one(k + 1), s);
  }

  /** What a wire moves at x as drawn; over a head it is where the contact was, which pictures know only to a metre. */
  drawn(wire, k, x) {
    const name = wire.other && wire.other[k] ? wire.other_field : wire.field;
    let u = this.moved(name, x);
    if (name === "contact") for (const head of this.heads) {
      const near = Math.abs(x - head.s);
      if (near < MENDED) u += head.mend * Math.cos((0.5 * Math.PI * near) / MENDED) ** 2;
    }
    return this.exaggeration * u;
  }

  /** Place in space of a wire at x. */
  on(wire, x) {
    const [k, s] = place_in(wire.x, x), n = s < 0.5 ? k : k + 1;
    return [mix(wire.y[k], wire.y[k + 1], s), mix(wire.z[k], wire.z[k + 1], s) + this.drawn(wire, n, x)];
  }

  prepare(t, exaggeration) {
    const { frames, pantographs, fine } = this.data;
    Object.assign(this, { t, exaggeration, when: place_in(frames, t) });
    const [k, s] = place_in(fine, t), now = (row) => mix(row[k], row[k + 1], s);
    this.heads = [];
    this.heads = pantographs.map((p) => {
      const place = now(p.x), rest = now(p.rest), wire = now(p.wire), head = now(p.head), force = now(p.force);
      const touch = force > 0 || head >= wire, mend = Number.isFinite(wire) ? wire - rest - this.moved("contact",
        place) : 0;
      const z = touch && Number.isFinite(wire) ? wire : head;
      return { ...p, s: place, force, rest, real: z, touch, mend, z: rest + exaggeration * (z - rest) };
    });
  }

  /** Place in space that a camera follows, and the direction of the track there. */
  followed(index) {
    const head = this.heads[index], { ahead } = this.track.frame(head.s);
    return { place: this.track.at(head.s, 0, head.rest - 0.35), heading: Math.atan2(ahead[1], ahead[0]) };
  }

  draw(r, colors, focus) {
    const s = focus < 0 ? this.nearest(r.origin) : this.heads[focus].s, reach = [s - SEEN, s + SEEN];
    this.track.draw(r, s, SEEN, colors);
    this.draw_wires(r, colors, reach);
    this.draw_droppers(r, colors, reach);
    for (const post of this.data.posts) if (post.x > reach[0] && post.x < reach[1]) draw_post(r, this, post, colors);
    this.draw_train(r, colors, reach);
    return this.heads.map((head) => this.draw_force(r, head, colors));
  }

  /** Place along the track nearest to a place in space. */
  nearest(place) {
    if (!this.data.path) return place[0];
    const { s, x, y } = this.data.path;
    let best = 0;
    for (let k = 0; k < s.length; k++) {
      if (Math.hypot(x[k] - place[0], y[k] - place[1]) < Math.hypot(x[best] - place[0], y[best] - place[1])) best = k;
    }
    return s[best];
  }

  draw_wires(r, colors, [from, to]) {
    for (const wire of this.data.wires) {
      const points = [];
      let gap = true;
      for (let k = 0; k < wire.x.length; k++) {
        const x = wire.x[k], seen = x >= from && x <= to && Number.isFinite(wire.z[k]);
        const low = wire.field === "contact" ? wire.radius : 0; // heads touch its lower side
        if (seen) points.push(this.track.at(x, wire.y[k], wire.z[k] + low + this.drawn(wire, k, x)));
        if (seen && !gap && points.length > 1) this.wire_part(r, wire, points[points.length - 2],
          points[points.length - 1], colors);
        gap = !seen;
      }
    }
  }

  wire_part(r, wire, a, b, colors) {
    if (!wire.profile) return r.tube(a, b, wire.radius, colors[wire.color]);
    const along = scaled(sub(b, a), 0.505), left = scaled(unit(cross([0, 0, 1], along)), 0.042);
    const middle = add(between(a, b, 0.5), [0, 0, 0.06]);
    r.solid("box", middle, along, left, [0, 0, 0.045], colors.rail_profile);
    return r.tube(a, b, wire.radius, colors.contact);
  }

  draw_droppers(r, colors, [from, to]) {
    for (const dropper of this.data.droppers) {
      if (dropper.x < from || dropper.x > to) continue;
      const [low, high] = [dropper.lower, dropper.upper].map((w) => this.on(this.data.wires[w], dropper.x));
      const slack = dropper.slack.some(([begin, end]) => this.t >= begin && this.t <= end);
      const a = this.track.at(dropper.x, ...low), b = this.track.at(dropper.x, ...high);
      const short = dropper.length - Math.hypot(high[0] - low[0], high[1] - low[1]);
      if (slack && short > 0) this.bow(r, dropper.x, low, high, short, colors.slack);
      else r.tube(a, b, 0.006, slack ? colors.slack : colors.dropper);
      for (const end of [a, b]) r.tube(add(end, [0, 0, -0.02]), add(end, [0, 0, 0.03]), 0.014, colors.clamp);
    }
  }

  /** A dropper longer than its ends are apart: a parabola of its length, l − d = 8 f²/(3 d), aslant to the track. */
  bow(r, x, low, high, short, color) {
    const apart = Math.max(0.05, high[1] - low[1]), f = Math.sqrt(0.375 * apart * short), points = [];
    for (let k = 0; k <= BOW; k++) {
      const s = k / BOW, aside = 4 * f * s * (1 - s);
      points.push(this.track.at(x + 0.8 * aside, mix(low[0], high[0], s) + 0.6 * aside, mix(low[1], high[1], s)));
    }
    r.line(points, 0.009, color);
  }

  draw_train(r, colors, [from, to]) {
    const { cars, roof } = this.data;
    for (const behind of cars.behind) {
      const s = this.heads[0].s - behind;
      if (s > from && s < to) this.track.car(r, s, cars.length, roof, colors);
    }
    for (const head of this.heads) {
      const lift = head.z - head.real, [k, share] = this.when;
      const members = head.members.map((m) => {
        const points = [], n = m.shape[1], base = roof;
        for (let j = 0; j < n; j++) {
          const [x, z] = [0, 1].map((axis) => mix(m[2 * (k * n + j) + axis], m[2 * ((k + 1) * n + j) + axis], share));
          points.push([x, z + lift * clamp((z - base) / (head.real - base), 0, 1)]);
        }
        return points;
      });
      draw_pantograph(r, this.track, { ...head, roof, members, color: colors.pantographs[head.hue] }, colors);
    }
  }

  /** The force of the head on the wire as an arrow; its tip and what to write there. */
  draw_force(r, head, colors) {
    const wire = this.data.wires[this.running(head.s)], y = wire ? this.on(wire, head.s)[0] : 0;
    const foot = this.track.at(head.s, y, head.z), { up } = this.track.frame(head.s);
    const along = scaled(up, head.force * this.data.metres_per_newton);
    r.arrow(foot, along, 0.026, colors.force);
    return { place: add(foot, along), text: `${head.force.toFixed(0)} N`, lost: !(head.force > 0) };
  }

  /** Number of the contact wire that the heads touch at x. */
  running(x) {
    return this.data.wires.findIndex((w) => w.field === "contact" && x >= w.x[0] && x <= w.x[w.x.length - 1]
      && !(w.other && w.other[place_in(w.x, x)[0]]));
  }
}
