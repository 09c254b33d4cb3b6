// Places along the line as people write them: metres, chainage (km 12+345) or the name of a mast.
import { state } from "./state.js";

const CHAINAGE = /^(?:km\s*)?([-−]?)(\d+)\s*\+\s*(\d+(?:\.\d+)?)$/i;

/** Metres from the first mast of a mast's name, a chainage, or a number of metres; null if it is none of them. */
export function placeOf(words) {
  const text = words.trim(), { mast_x: x = [], mast_labels: labels = [], masts = [], chainage = 0 } = state.drawing || {};
  const found = CHAINAGE.exec(text);
  if (found) return (found[1] ? -1 : 1) * (1000 * Number(found[2]) + Number(found[3])) - chainage;
  const plain = text.replace(/^mast\s+/i, "").toLowerCase(), k = labels.findIndex((label) => label.toLowerCase() === plain);
  if (k >= 0 && plain !== "") return x[k];
  const named = masts.find((m) => m.name.toLowerCase() === plain);
  if (named) return named.x;
  const metres = /^([-+]?\d+(?:\.\d+)?)\s*m$/.exec(text);
  return metres ? Number(metres[1]) : null;
}

/** What is typed into a field of a place: a chainage or a mast becomes metres, anything else stays. */
export function asMetres(value) {
  if (typeof value !== "string" || /^[-+]?[\d.]+(e[-+]?\d+)?\s*[a-z]*$/i.test(value)) return value;
  const x = placeOf(value);
  return x === null ? value : `${Number(x.toFixed(3))} m`;
}
