/* A camera that turns about a target: what it follows, or in free flight a place of its own. */

class OrbitCamera {
  constructor(scene, canvas, changed) {
    Object.assign(this, { scene, canvas, changed, focus: 0, angle: 0.72, aim: [0, 0, 0], heading: 0, shift: [0, 0,
      0] });
    Object.assign(this, scene.home);
    this.fingers = new Map();
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind,
      (event) => this.fingers.delete(event.pointerId));
    const roll = (event) => { event.preventDefault(); this.zoom(Math.exp(0.0012 * event.deltaY)); };
    canvas.addEventListener("wheel", roll, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const others = [...this.fingers.entries()].filter(([id]) => id !== event.pointerId);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (others.length) {
      const [, far] = others[0], apart = (p) => Math.hypot(p[0] - far[0], p[1] - far[1]);
      this.zoom(apart(before) / Math.max(1, apart(now)));
      this.pan(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons & 6) this.pan(dx, dy);
    else this.turn(-0.006 * dx, 0.006 * dy);
    this.fingers.set(event.pointerId, now);
  }

  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = clamp(this.elevation + elevation, -0.6, 1.5);
    this.changed();
  }

  zoom(share) {
    this.distance = clamp(this.distance * share, 0.08 * this.scene.size, 12 * this.scene.size);
    this.changed();
  }

  pan(dx, dy) {
    const { right, up } = looking(this.eye, this.target);
    const step = (2 * Math.tan(this.angle / 2) * this.distance) / this.canvas.clientHeight;
    this.shift = add(this.shift, add(scaled(right, -dx * step), scaled(up, dy * step)));
    this.changed();
  }

  /** From a named side, again centred on what is followed. */
  look(view) {
    Object.assign(this, view, { shift: [0, 0, 0] });
    this.changed();
  }

  /** Follow a part, or from −1 on stay where it is. */
  follow(index) {
    if (index < 0) Object.assign(this, { aim: this.aim });
    else this.shift = [0, 0, 0];
    this.focus = index;
    this.changed();
  }

  update() {
    if (this.focus >= 0 || !this.settled) {
      const { place, heading } = this.scene.followed(this.focus);
      Object.assign(this, { aim: place, heading, settled: true });
    }
    const a = this.azimuth + this.heading, c = Math.cos(this.elevation);
    this.target = add(this.aim, this.shift);
    this.eye = add(this.target, scaled([c * Math.cos(a), c * Math.sin(a), Math.sin(this.elevation)], this.distance));
    this.eye[2] = Math.max(this.eye[2], this.scene.floor); // above the ground
    return this;
  }
}
