/* Arrays of the scene: {kind, shape, data (base64)}; "u2" holds steps of ``step`` from ``low``, 65535 is no number. */

function bytes_of(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

function array_of({ kind, shape, data, low, step }) {
  const buffer = bytes_of(data);
  if (kind === "f4") return Object.assign(new Float32Array(buffer), { shape });
  if (kind === "f8") return Object.assign(new Float64Array(buffer), { shape });
  const steps = new Uint16Array(buffer), values = new Float32Array(steps.length);
  for (let k = 0; k < steps.length; k++) values[k] = steps[k] === 65535 ? NaN : low + step * steps[k];
  return Object.assign(values, { shape });
}

/** The scene with every packed array unpacked. */
function unpacked(value) {
  if (Array.isArray(value)) return value.map(unpacked);
  if (value === null || typeof value !== "object") return value;
  if ("data" in value && "kind" in value) return array_of(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpacked(inner)]));
}
