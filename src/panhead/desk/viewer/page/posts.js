/* Masts with cantilevers, registration tubes and steady arms; hangers of a conductor rail. Sizes are sketches. */

const MAST = 3.25, ARM = 1.0; // from the middle of the track; length of a steady arm [m]

function draw_post(r, scene, post, colors) {
  if (post.kind === "hanger") draw_hanger(r, scene, post, colors);
  else draw_mast(r, scene, post, colors);
}

/** What carries a conductor rail: a post with an insulator under a ceiling that is not drawn. */
function draw_hanger(r, scene, post, colors) {
  const wire = scene.data.wires[post.contact], [y, z] = scene.on(wire, post.x), at = (h) => scene.track.at(post.x, y,
    h);
  const top = wire.z[place_in(wire.x, post.x)[0]] + 0.12 + post.encumbrance;
  r.tube(at(z + 0.1), at(z + 0.3), 0.06, colors.insulator, { end: 0.045 });
  r.tube(at(z + 0.28), at(top), 0.032, colors.mast);
  scene.track.box(r, post.x, y, top, [0.16, 0.3, 0.02], colors.mast);
}

function draw_mast(r, scene, post, colors) {
  const { track } = scene, side = post.side, s = post.x;
  const top = post.top + 0.75, low = GROUND_Z, height = (top - low) / 2, { ahead, across } = track.frame(s);
  const middle = (y) => track.beside(s, side * (MAST + y), low + height);
  const plate = (y, along, wide) => r.solid("box", middle(y), scaled(ahead, along), scaled(across, wide), [0, 0,
    height], colors.mast);
  plate(-0.11, 0.11, 0.009);
  plate(0.11, 0.11, 0.009);
  plate(0, 0.008, 0.11);
  r.solid("box", track.beside(s, side * MAST, low + 0.12), scaled(ahead, 0.35), scaled(across, 0.35), [0, 0, 0.14],
    colors.concrete);
  post.cantilevers.forEach((one, k) => {
    const aside = (k - (post.cantilevers.length - 1) / 2) * 0.7;
    if (one.anchor) draw_anchor(r, scene, { ...one, s, side }, colors);
    else draw_cantilever(r, scene, { ...one, s, side, along: aside }, colors);
  });
}

/** Wires that end here: from their ends to the mast, insulated. */
function draw_anchor(r, scene, { s, side, contact, messenger }, colors) {
  for (const number of [contact, messenger]) {
    if (number === null) continue;
    const wire = scene.data.wires[number], [y, z] = scene.on(wire, s), end = scene.track.at(s, y, z);
    const mast = scene.track.beside(s, side * (MAST - 0.12), z), from = between(mast, end, 0.5);
    insulator(r, from, between(mast, end, 0.7), colors);
    r.tube(end, mast, wire.radius, colors[wire.color]);
  }
}

/** Top tube, main tube, registration tube and steady arm; the arm follows the contact wire. */
function draw_cantilever(r, scene, { s, side, along, contact, messenger, pulls }, colors) {
  const { track, data } = scene, wire = data.wires[contact], [cy, cz] = scene.on(wire, s);
  const rest = wire.z[place_in(wire.x, s)[0]], hinge = (z) => track.beside(s + along, side * (MAST - 0.12), z);
  const carrier = messenger === null ? [cy, rest + 1.1] : scene.on(data.wires[messenger], s);
  const head = track.at(s, ...carrier), foot = hinge(rest + 0.15), over = hinge(carrier[1] + 0.5);
  const rod = (a, b, radius, insulated) => {
    const end = insulated ? between(a, b, 0.6 / Math.hypot(...sub(b, a))) : a;
    if (insulated) insulator(r, a, end, colors);
    r.tube(end, b, radius, colors.tube);
  };
  rod(over, add(head, [0, 0, 0.05]), 0.02, true);
  rod(foot, head, 0.03, true);
  // registration tube: to the near side of the wire if the arm pulls towards the mast, else beyond it
  const out = side * pulls > 0 ? cy + pulls * ARM : cy + pulls * ARM * 1.05, z = rest + 0.42;
  const share = clamp((z - rest - 0.15) / (carrier[1] - rest - 0.15), 0.05, 0.9), root = between(foot, head, share);
  const tip = track.at(s, out, z), drop = track.at(s, out, rest + 0.24), clip = track.at(s, cy, cz + 0.03);
  rod(root, tip, 0.022, false);
  rod(tip, drop, 0.014, false);
  const sagged = add(between(drop, clip, 0.8), [0, 0, 0.05]);
  r.line([drop, sagged, clip], 0.011, colors.steady_arm);
  r.tube(add(clip, [0, 0, -0.03]), add(clip, [0, 0, 0.03]), 0.018, colors.clamp);
}

function insulator(r, a, b, colors) {
  for (let k = 0; k < 6; k++) r.tube(between(a, b, k / 6), between(a, b, (k + 0.8) / 6), 0.065, colors.insulator,
    { end: 0.035 });
}
