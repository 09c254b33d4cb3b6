/* A pantograph of sketched size that reaches the recorded height: frame, arms, coupling rod, head, strips, horns. */

const ARMS = [1.5, 1.75], HINGE = [0.45, 0.32]; // lengths; main hinge ahead of the head and above the roof [m]

/** The joint of two arms between two points of a plane, on the side of −x; longer arms where they would not reach. */
function knee(foot, apex) {
  const d = Math.hypot(apex[0] - foot[0], apex[1] - foot[1]), size = Math.max(1, 1.03 * d / (ARMS[0] + ARMS[1]));
  const [a, b] = ARMS.map((arm) => arm * size), along = (a * a - b * b + d * d) / (2 * d);
  const aside = Math.sqrt(Math.max(0, a * a - along * along));
  const e = [(apex[0] - foot[0]) / d, (apex[1] - foot[1]) / d];
  const both = [1, -1].map((sign) => [foot[0] + along * e[0] - sign * aside * e[1],
    foot[1] + along * e[1] + sign * aside * e[0]]);
  return both[0][0] < both[1][0] ? both[0] : both[1];
}

/** Draw one: ``z`` is the height of the top of its strips, ``members`` what is known of its linkage. */
function draw_pantograph(r, track, { s, z, roof, color, length, width, members }, colors) {
  const at = (x, y, h) => track.at(s + x, y, h);
  const steel = (a, b, radius, paint = color) => r.tube(at(...a), at(...b), radius, paint);
  draw_frame(r, track, s, roof, colors);
  const apex = [0, z - 0.13];
  if (members.length) {
    for (const points of members) {
      r.line(points.map(([x, h]) => at(x, 0, h)), 0.035, color);
      points.forEach(([x, h]) => r.ball(at(x, 0, h), 0.05, color));
    }
  } else draw_arms(steel, r, at, roof, apex, color, colors);
  steel([0, -0.42, apex[1]], [0, 0.42, apex[1]], 0.028);
  for (const x of [-0.21, 0.21]) draw_strip(r, track, at, steel, { s, x, z, apex, length, width }, colors);
}

function draw_frame(r, track, s, roof, colors) {
  for (const x of [-0.85, 0.75]) for (const y of [-0.55, 0.55]) {
    for (let k = 0; k < 3; k++) {
      const low = roof - 0.06 + 0.08 * k;
      r.tube(track.at(s + x, y, low), track.at(s + x, y, low + 0.06), 0.075, colors.insulator, { end: 0.05 });
    }
  }
  const z = roof + 0.2, corner = [[-0.85, -0.55], [0.75, -0.55], [0.75, 0.55], [-0.85, 0.55], [-0.85, -0.55]];
  r.line(corner.map(([x, y]) => track.at(s + x, y, z)), 0.03, colors.steel);
  r.tube(track.at(s + HINGE[0], -0.5, z + 0.1), track.at(s + HINGE[0], 0.5, z + 0.1), 0.045, colors.steel);
}

function draw_arms(steel, r, at, roof, apex, color, colors) {
  const foot = [HINGE[0], roof + HINGE[1]], [kx, kz] = knee(foot, apex);
  r.tube(at(foot[0], 0, foot[1]), at(kx, 0, kz), 0.062, color, { end: 0.048 });
  steel([kx, -0.14, kz], [kx, 0.14, kz], 0.05);
  for (const y of [-1, 1]) {
    steel([kx, 0.1 * y, kz], [apex[0], 0.34 * y, apex[1]], 0.03);
    steel([mix(kx, apex[0], 0.6), 0.244 * y, mix(kz, apex[1], 0.6)], [mix(kx, apex[0], 0.6), 0, mix(kz, apex[1], 0.6)],
      0.018);
  }
  steel([foot[0] - 0.42, 0.1, foot[1] - 0.1], [kx + 0.12, 0.1, kz - 0.16], 0.018, colors.steel);
  steel([kx, 0.1, kz], [kx + 0.12, 0.1, kz - 0.16], 0.022);
}

/** A carbon strip on its carrier, held by springs, and a horn at either end. */
function draw_strip(r, track, at, steel, { s, x, z, apex, length, width }, colors) {
  track.box(r, s + x, 0, z - 0.018, [0.028, width / 2, 0.018], colors.carbon);
  track.box(r, s + x, 0, z - 0.05, [0.022, width / 2, 0.014], colors.light_steel);
  const reach = Math.max(0.12, (length - width) / 2);
  for (const side of [-1, 1]) {
    steel([0, 0.38 * side, apex[1]], [x, 0.45 * side, z - 0.06], 0.016, colors.steel);
    const horn = [];
    for (let k = 0; k <= 7; k++) {
      const a = (0.5 * Math.PI * k) / 7;
      horn.push(at(x, side * (width / 2 + reach * Math.sin(a)), z - 0.03 - 0.26 * (1 - Math.cos(a))));
    }
    r.line(horn, 0.016, colors.light_steel);
  }
}
