/* Programs of the graphics card: tubes and shapes with sun, sky light, shadow and haze; ground; sky. */

const LIGHT = `
uniform vec3 eye, sun, haze, zenith, soil;
uniform float sight, shaded;
uniform mat4 sunlight;
uniform highp sampler2DShadow shadow;
float lit(vec3 p, vec3 n) {
  vec4 q = sunlight * vec4(p + 0.03 * n, 1.0);
  vec3 s = 0.5 * q.xyz / q.w + 0.5;
  if (shaded < 0.5 || any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float sum = 0.0, texel = 1.0 / float(textureSize(shadow, 0).x);
  for (int i = -1; i <= 1; i++) for (int k = -1; k <= 1; k++)
    sum += texture(shadow, vec3(s.xy + texel * vec2(i, k), s.z - 0.0012));
  return sum / 9.0;
}
vec3 seen(vec3 color, vec3 p) {
  float far = 1.0 - exp(-pow(distance(p, eye) / sight, 2.0));
  return pow(mix(color, haze, far), vec3(1.0 / 2.2));
}
vec3 shade(vec3 base, vec3 p, vec3 n, float gloss) {
  vec3 view = normalize(eye - p), sky = mix(soil, mix(zenith, vec3(dot(zenith, vec3(0.33))), 0.6), 0.5 + 0.5 * n.z);
  float s = max(dot(n, sun), 0.0), bright = s > 0.0 ? lit(p, n) : 0.0;
  float glint = pow(max(dot(n, normalize(sun + view)), 0.0), 40.0) * gloss * bright;
  return base * (0.72 * sky + 1.0 * vec3(1.0, 0.96, 0.9) * s * bright) + 0.5 * glint;
}`;

const HEAD = "#version 300 es\nprecision highp float;\n";
const SURFACE = `${HEAD}in vec3 place, normal; in vec4 look; out vec4 color;${LIGHT}
void main() {
  vec3 n = normalize(normal);
  if (dot(n, eye - place) < 0.0) n = -n;
  color = vec4(seen(mix(shade(look.rgb, place, n, 0.7), look.rgb, look.a), place), 1.0);
}`;

/* From a to b, as thick as its radii but never less than a pixel, or wires far away would be beads. */
const TUBE = `${HEAD}
layout(location=0) in vec3 shape; layout(location=1) in vec3 side;
layout(location=2) in vec3 a; layout(location=3) in vec3 b; layout(location=4) in vec2 radii;
layout(location=5) in vec4 paint;
uniform mat4 camera; uniform vec3 eye; uniform float pixel;
out vec3 place, normal; out vec4 look;
void main() {
  vec3 w = normalize(b - a + vec3(1e-9)), u = normalize(cross(abs(w.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0), w));
  vec3 v = cross(w, u), centre = mix(a, b, shape.z);
  float r = mix(radii.x, radii.y, shape.z);
  r = max(r, pixel * distance(centre, eye) * min(1.0, 1e4 * r));
  place = centre + r * (shape.x * u + shape.y * v);
  normal = mat3(u, v, w) * side;
  look = paint;
  gl_Position = camera * vec4(place, 1.0);
}`;

const SOLID = `${HEAD}
layout(location=0) in vec3 shape; layout(location=1) in vec3 side;
layout(location=2) in vec3 centre; layout(location=3) in vec3 u; layout(location=4) in vec3 v;
layout(location=5) in vec3 w; layout(location=6) in vec4 paint;
uniform mat4 camera;
out vec3 place, normal; out vec4 look;
void main() {
  place = centre + mat3(u, v, w) * shape;
  normal = mat3(u / dot(u, u), v / dot(v, v), w / dot(w, w)) * side;
  look = paint;
  gl_Position = camera * vec4(place, 1.0);
}`;

const NOTHING = `${HEAD}void main() {}`;

const GROUND = `${HEAD}layout(location=0) in vec2 corner; uniform mat4 camera; uniform vec3 middle; uniform float reach;
out vec3 place; out vec2 at;
void main() {
  place = middle + vec3(reach * corner, 0.0);
  at = place.xy;
  gl_Position = camera * vec4(place, 1.0);
}`;
const GROUND_COLOR = `${HEAD}in vec3 place; in vec2 at; out vec4 color;
uniform vec3 floor_color, line_color; uniform vec2 slip; uniform float mesh;${LIGHT}
float strokes(vec2 p) {
  vec2 near = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(near.x, near.y), 1.0);
}
float grain(vec2 p) { return fract(sin(dot(floor(p), vec2(12.9898, 78.233))) * 43758.5453); }
float soft(vec2 p) {
  vec2 f = fract(p), s = f * f * (3.0 - 2.0 * f);
  return mix(mix(grain(p), grain(p + vec2(1, 0)), s.x), mix(grain(p + vec2(0, 1)), grain(p + vec2(1, 1)), s.x), s.y);
}
float blotches(vec2 p) { return 0.5 * soft(p / 7.0) + 0.3 * soft(p / 1.7) + 0.2 * soft(p / 0.35); }
void main() {
  float fine = exp(-pow(distance(place, eye) / (30.0 * mesh), 2.0));
  float drawn = 0.35 * strokes((at + slip) / mesh) * fine + 0.3 * strokes((at + slip) / (5.0 * mesh));
  vec3 base = mesh > 0.0 ? mix(floor_color, line_color, drawn) : floor_color * (0.8 + 0.4 * blotches(at + slip));
  color = vec4(seen(shade(base, place, vec3(0, 0, 1), 0.0), place), 1.0);
}`;

const SKY = `${HEAD}layout(location=0) in vec2 corner; uniform vec3 right, up, ahead; uniform vec2 spread; out vec3 ray;
void main() {
  ray = ahead + corner.x * spread.x * right + corner.y * spread.y * up;
  gl_Position = vec4(corner, 0.9999, 1.0);
}`;
const SKY_COLOR = `${HEAD}in vec3 ray; out vec4 color; uniform vec3 haze, zenith;
void main() {
  float height = normalize(ray).z;
  color = vec4(pow(mix(haze, zenith, smoothstep(0.0, 0.55, height)), vec3(1.0 / 2.2)), 1.0);
}`;
