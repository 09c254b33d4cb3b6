// Labels along the line: masts, spans, tension lengths, curves and cant; at any zoom, never one over another.
import { svg } from "./dom.js";
import { figure } from "./chart.js";

const LETTER = 6.4; // px of a letter of 11 px, at most in the mean
const APART = 10; // px between two labels
const wide = (words) => LETTER * words.length;

/** Index of the first and beyond the last of increasing places that lie in view. */
function inView(x, { low, high }) {
  let first = x.findIndex((v) => v >= low);
  if (first < 0) first = x.length;
  let stop = first;
  while (stop < x.length && x[stop] <= high) stop++;
  return [first, stop];
}

/** Every mast its name; if they are too close, every second, fifth, tenth … one. */
export function thinnedLabels(x, labels, room, y) {
  const [first, stop] = inView(x, room), seen = x.slice(first, stop);
  if (!seen.length) return [];
  const longest = Math.max(...labels.slice(first, stop).map(wide)) + APART;
  const gap = seen.length > 1 ? (room.sx(seen.at(-1)) - room.sx(seen[0])) / (seen.length - 1) : Infinity;
  const nearest = Math.min(Infinity, ...seen.slice(1).map((v, k) => room.sx(v) - room.sx(seen[k])));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => (n === 1 ? nearest : n * gap) >= longest) || 2000;
  const found = [];
  let last = -Infinity;
  for (let k = Math.ceil(first / step) * step; k < stop; k += step) {
    const half = wide(labels[k]) / 2, px = Math.min(room.sx(x[k]), room.right + 12 - half); // the last one stays whole
    if (px - half < last || px - half < room.left - 40) continue;
    found.push(svg("text", { x: px, y, "text-anchor": "middle", class: "mast-name" }, labels[k]));
    last = px + half + APART / 2;
  }
  return found;
}

/** The length of every span; if they are too narrow for it, of several at a time: "5 × 60 m", "5 × 48 … 63 m". */
export function spanLabels(x, room, y) {
  const lengths = x.slice(1).map((v, k) => v - x[k]), found = [];
  const words = (k, n) => {
    const mine = lengths.slice(k, k + n).map((v) => Number(v.toFixed(2))), low = Math.min(...mine), high = Math.max(...mine);
    const long = low === high ? `${figure(low)} m` : `${figure(low)} … ${figure(high)} m`;
    return n > 1 ? `${n} × ${long}` : long;
  };
  const pixels = (k, n) => room.sx(x[Math.min(k + n, lengths.length)]) - room.sx(x[k]);
  const [first, stop] = inView(x, room), from = Math.max(0, first - 1), to = Math.min(lengths.length, stop);
  const fits = (n) => {
    for (let k = Math.floor(from / n) * n; k < to; k += n) if (k + n <= lengths.length && pixels(k, n) < wide(words(k, n)) + APART) return false;
    return true;
  };
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find(fits) || 2000;
  for (let k = Math.floor(from / step) * step, n = step; k < to; k += n) {
    const left = lengths.length - k, rest = left - step; // what is left at the end, too narrow for a label, joins the last ones
    n = rest < step && rest > 0 && pixels(k + step, rest) < wide(words(k + step, rest)) + 2 ? left : Math.min(step, left);
    const text = words(k, n), a = Math.max(room.left, room.sx(x[k])), b = Math.min(room.right, room.sx(x[k + n]));
    if (b - a < wide(text) + 2) continue;
    found.push(svg("text", { x: (a + b) / 2, y, "text-anchor": "middle", class: "quiet" }, text));
  }
  return found;
}

/** Bars over the drawing from the first to the last mast of each tension length, in the colours of their wires. */
export function tensionLengths(lengths, room) {
  if (lengths.length < 2) return [];
  const found = [];
  let last = room.left + 85; // beside the name of the axis
  for (const [k, { name, x: [begin, end] }] of lengths.entries()) {
    const [a, b] = [Math.max(room.left, room.sx(begin)), Math.min(room.right, room.sx(end))];
    if (b <= a) continue;
    found.push(svg("rect", { class: k % 2 ? "length other" : "length", x: a, y: k % 2 ? 17 : 14, width: b - a, height: 2.5 }, svg("title", {}, name)));
    const next = lengths[k + 1] ? Math.min(b, room.sx(lengths[k + 1].x[0])) : b, before = lengths[k - 1] ? Math.max(a, room.sx(lengths[k - 1].x[1])) : a;
    const middle = Math.max((before + next) / 2, last + wide(name) / 2);
    if (middle + wide(name) / 2 > Math.max(next, b) || middle - wide(name) / 2 < last) continue;
    found.push(svg("text", { class: k % 2 ? "length other" : "length", x: middle, y: 11, "text-anchor": "middle" }, name));
    last = middle + wide(name) / 2 + APART;
  }
  return found;
}

/** Curvature of the track below the plan, up for curves to the left, with radius, cant and gradient in words. */
export function trackStrip(track, room, y, high) {
  const bend = (p) => (p.radius ? 1 / p.radius : 0), most = Math.max(1e-9, ...track.map((p) => Math.abs(bend(p))));
  const base = y + high / 2, sy = (p) => base - (bend(p) / most) * (high / 2 - 2), clip = (x) => Math.max(room.left, Math.min(room.right, room.sx(x)));
  const points = track.filter((p) => p.x >= room.low && p.x <= room.high);
  const at = (x) => {
    const k = track.findIndex((p) => p.x >= x);
    if (k < 1) return { ...(k < 0 ? track.at(-1) : track[0]), x };
    const [a, b] = [track[k - 1], track[k]], value = bend(a) + ((x - a.x) / (b.x - a.x)) * (bend(b) - bend(a));
    return { x, radius: value ? 1 / value : null };
  };
  const shape = [at(room.low), ...points, at(room.high)].sort((a, b) => a.x - b.x);
  const outline = shape.map((p) => `L${clip(p.x).toFixed(1)} ${sy(p).toFixed(1)}`).join("");
  const found = [svg("path", { class: "track", d: `M${room.left} ${base}${outline}L${room.right} ${base}Z` }),
    svg("line", { x1: room.left, x2: room.right, y1: base, y2: base, stroke: "var(--edge)" }),
    svg("text", { x: room.left - 5, y: base + 4, "text-anchor": "end", class: "quiet" }, "track")];
  let last = room.left;
  for (const one of stretches(track)) {
    const [a, b] = [clip(one.begin), clip(one.end)], middle = (a + b) / 2;
    const short = one.radius ? `R ${figure(Math.abs(one.radius))} m ${one.radius > 0 ? "left" : "right"}` : "straight";
    const long = [short, one.cant ? `cant ${figure(1000 * one.cant)} mm` : "", one.gradient ? `${one.gradient > 0 ? "+" : "−"}${figure(1000 * Math.abs(one.gradient))} ‰` : ""].filter(Boolean).join(", ");
    const text = [long, short].find((words) => wide(words) < b - a);
    if (!text || middle - wide(text) / 2 < last) continue;
    found.push(svg("text", { x: middle, y: base + (one.radius < 0 ? 11 : -3), "text-anchor": "middle" }, text, svg("title", {}, long)));
    last = middle + wide(text) / 2 + APART;
  }
  return found;
}

/** Stretches of equal radius, cant and gradient between two track points. */
function stretches(track) {
  const same = (a, b) => a.radius === b.radius && a.cant === b.cant && a.gradient === b.gradient, found = [];
  for (const [k, p] of track.entries()) {
    const last = found.at(-1);
    if (last && k && same(track[k - 1], p)) last.end = p.x;
    else found.push({ begin: p.x, end: p.x, ...p });
  }
  return found.filter((s) => s.end > s.begin && (s.radius || s.cant || s.gradient));
}
