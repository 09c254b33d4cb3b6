/* Unit shapes that are drawn many times: triangles as positions and normals. */

function mesh() {
  const numbers = [];
  const triangle = (points, normals) => points.forEach((p, k) => numbers.push(...p, ...normals[k]));
  return {
    numbers, triangle,
    quad: (a, b, c, d, na, nb = na, nc = nb, nd = na) => {
      triangle([a, b, c], [na, nb, nc]);
      triangle([a, c, d], [na, nc, nd]);
    },
  };
}

/** Radius 1 about z, from z = 0 to 1, with ends. */
function cylinder_mesh(sides = 12) {
  const m = mesh(), at = (k, z) => [Math.cos(2 * Math.PI * k / sides), Math.sin(2 * Math.PI * k / sides), z];
  for (let k = 0; k < sides; k++) {
    m.quad(at(k, 0), at(k + 1, 0), at(k + 1, 1), at(k, 1), at(k, 0), at(k + 1, 0), at(k + 1, 0), at(k, 0));
    for (const z of [0, 1]) {
      const n = [0, 0, 2 * z - 1];
      m.triangle([[0, 0, z], at(k, z), at(k + 1, z)], [n, n, n]);
    }
  }
  return m.numbers;
}

/** A profile of (y, z) corners drawn out along x from −1 to 1; round: normals run smoothly over its edges. */
function prism_mesh(profile, round = false) {
  const m = mesh(), count = profile.length;
  const edge = (k) => {
    const [a, b] = [profile[(k + count) % count], profile[(k + 1) % count]];
    return unit([0, b[1] - a[1], a[0] - b[0]]);
  };
  const corner = (k) => (round ? unit(add(edge(k - 1), edge(k))) : null);
  const at = (k, x) => [x, ...profile[k % count]];
  const middle = profile.reduce(([y, z], p) => [y + p[0] / count, z + p[1] / count], [0, 0]);
  for (let k = 0; k < count; k++) {
    const [n, o] = round ? [corner(k), corner(k + 1)] : [edge(k), edge(k)];
    m.quad(at(k, -1), at(k + 1, -1), at(k + 1, 1), at(k, 1), n, o, o, n);
    for (const x of [-1, 1]) m.triangle([[x, ...middle], at(k, x), at(k + 1, x)], Array(3).fill([x, 0, 0]));
  }
  return m.numbers;
}

const BOX = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/** Half an outline of a car body from rail level 0 … 1 up, mirrored: upright sides and a round roof. */
function car_profile() {
  const half = [[0.9, 0], [1, 0.1], [1, 0.55]];
  for (let k = 0; k <= 8; k++) {
    const a = (Math.PI / 2) * k / 8;
    half.push([Math.cos(a) ** 0.6, 0.72 + 0.28 * Math.sin(a) ** 0.8]);
  }
  return [...half, ...half.slice(0, -1).reverse().map(([y, z]) => [-y, z])];
}

function sphere_mesh(rings = 8, sides = 14) {
  const m = mesh();
  const at = (i, k) => {
    const a = Math.PI * i / rings, b = 2 * Math.PI * k / sides;
    return [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
  };
  for (let i = 0; i < rings; i++) for (let k = 0; k < sides; k++) {
    const p = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
    m.quad(...p, ...p);
  }
  return m.numbers;
}
