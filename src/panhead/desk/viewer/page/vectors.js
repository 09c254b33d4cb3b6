/* Vectors as arrays of three, matrices as WebGL takes them (column by column); z points up. */

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
const mix = (a, b, s) => a + (b - a) * s;
const between = (a, b, s) => [mix(a[0], b[0], s), mix(a[1], b[1], s), mix(a[2], b[2], s)];
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const smooth = (low, high, x) => { const s = clamp((x - low) / (high - low), 0, 1); return s * s * (3 - 2 * s); };

/** Two unit vectors square to a direction and to one another. */
function frame_about(axis) {
  const w = unit(axis), u = unit(cross(Math.abs(w[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], w));
  return [u, cross(w, u), w];
}

function product(a, b) {
  const m = new Float32Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 4; k++) m[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  }
  return m;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}

function orthographic(half, near, far) {
  const d = near - far;
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / d, 0, 0, 0, (far + near) / d, 1]);
}

/** World → camera; also the directions right, up and back of the camera. */
function looking(eye, target, up = [0, 0, 1]) {
  const back = unit(sub(eye, target)), right = unit(cross(up, back)), over = cross(back, right);
  const matrix = new Float32Array([
    right[0], over[0], back[0], 0, right[1], over[1], back[1], 0, right[2], over[2], back[2], 0,
    -dot(right, eye), -dot(over, eye), -dot(back, eye), 1]);
  return { matrix, right, up: over, back };
}

/** "#1e293b" → red, green, blue as light, 0 … 1. */
function light_of(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((v) => v ** 2.2);
}

/** Index k and share s of a place in increasing places: it lies at k + s. */
function place_in(places, x) {
  let low = 0, high = places.length - 1;
  if (high < 1 || x <= places[0]) return [0, 0];
  if (x >= places[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (places[middle] <= x) low = middle; else high = middle;
  }
  return [low, (x - places[low]) / (places[high] - places[low])];
}

/** Values between given places, straight; the outer ones beyond the ends. */
function value_at(places, values, x) {
  const [k, s] = place_in(places, x);
  return places.length < 2 ? values[0] : mix(values[k], values[k + 1], s);
}
