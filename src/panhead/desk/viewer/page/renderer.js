/* WebGL 2: everything is a tube between two points or a unit shape that was stretched and turned, written anew for
   every picture; some thousand of them, a fraction of a millisecond. */

const SHADOW = 2048;

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser has no WebGL 2; enable hardware acceleration or use another browser.");
    Object.assign(this, { canvas, gl });
    this.programs = {
      tube: this.program(TUBE, SURFACE), tube_depth: this.program(TUBE, NOTHING),
      solid: this.program(SOLID, SURFACE), solid_depth: this.program(SOLID, NOTHING),
      ground: this.program(GROUND, GROUND_COLOR), sky: this.program(SKY, SKY_COLOR),
    };
    this.tubes = this.batch(cylinder_mesh(), [3, 3, 2, 4]);
    const affine = [3, 3, 3, 3, 4];
    this.solids = {
      box: this.batch(prism_mesh(BOX), affine), ball: this.batch(sphere_mesh(), affine),
      car: this.batch(prism_mesh(car_profile(), true), affine),
      ballast: this.batch(prism_mesh([[-1, -1], [1, -1], [0.62, 1], [-0.62, 1]]), affine),
    };
    this.flat = this.batch([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1], [], 2);
    this.make_shadow();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const places = {}, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const { name, type } = gl.getActiveUniform(program, k);
      places[name] = { place: gl.getUniformLocation(program, name), type };
    }
    return { program, places };
  }

  /** A shape and room for its copies; ``parts``: numbers of each value that differs between copies. */
  batch(numbers, parts, width = 3) {
    const gl = this.gl, array = gl.createVertexArray(), stride = parts.reduce((a, b) => a + b, 0);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    const values = width === 3 ? 2 : 1;
    for (let k = 0; k < values; k++) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, width, gl.FLOAT, false, 4 * width * values, 4 * width * k);
    }
    const copies = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, copies);
    parts.reduce((offset, size, k) => {
      gl.enableVertexAttribArray(2 + k);
      gl.vertexAttribPointer(2 + k, size, gl.FLOAT, false, 4 * stride, 4 * offset);
      gl.vertexAttribDivisor(2 + k, 1);
      return offset + size;
    }, 0);
    const vertices = numbers.length / (width * values);
    return { array, copies, stride, vertices, count: 0, data: new Float32Array(64 * (stride || 1)) };
  }

  make_shadow() {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.shadow = { texture, target };
  }

  /** Begin a picture; places given from now on are relative to ``origin``, so that float32 is enough anywhere. */
  begin(origin) {
    this.origin = origin;
    for (const batch of [this.tubes, ...Object.values(this.solids)]) batch.count = 0;
  }

  write(batch, ...values) {
    const size = batch.stride * (batch.count + 1);
    if (size > batch.data.length) {
      const more = new Float32Array(2 * size);
      more.set(batch.data);
      batch.data = more;
    }
    let k = batch.stride * batch.count++;
    for (const value of values) for (let i = 0; i < value.length; i++) batch.data[k++] = value[i];
  }

  tube(a, b, radius, color, { end = radius, glow = 0 } = {}) {
    this.write(this.tubes, sub(a, this.origin), sub(b, this.origin), [radius, end], color, [glow]);
  }

  line(points, radius, color, options) {
    for (let k = 1; k < points.length; k++) this.tube(points[k - 1], points[k], radius, color, options);
  }

  /** A unit shape at a place with three half axes. */
  solid(kind, centre, u, v, w, color, glow = 0) {
    this.write(this.solids[kind], sub(centre, this.origin), u, v, w, color, [glow]);
  }

  ball(centre, r, color, glow = 0) { this.solid("ball", centre, [r, 0, 0], [0, r, 0], [0, 0, r], color, glow); }

  arrow(foot, along, thick, color) {
    const length = Math.hypot(...along), head = Math.min(5 * thick, 0.6 * length);
    if (!(length > 2 * thick)) return;
    const neck = add(foot, scaled(along, 1 - head / length));
    this.tube(foot, neck, thick, color, { glow: 0.55 });
    this.tube(neck, add(foot, along), 2.4 * thick, color, { end: 1e-5, glow: 0.55 });
  }

  set(program, values) {
    const gl = this.gl;
    gl.useProgram(program.program);
    for (const [name, { place, type }] of Object.entries(program.places)) {
      const value = values[name];
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(place, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(place, value);
      else if (type === gl.FLOAT) gl.uniform1f(place, value);
      else gl.uniform1i(place, 0);
    }
  }

  draw(batch) {
    const gl = this.gl;
    gl.bindVertexArray(batch.array);
    if (!batch.stride) gl.drawArrays(gl.TRIANGLES, 0, batch.vertices);
    else if (batch.count) gl.drawArraysInstanced(gl.TRIANGLES, 0, batch.vertices, batch.count);
  }

  everything(values, suffix = "") {
    this.set(this.programs[`tube${suffix}`], values);
    this.draw(this.tubes);
    this.set(this.programs[`solid${suffix}`], values);
    Object.values(this.solids).forEach((batch) => this.draw(batch));
  }

  /** Show what was written since ``begin``: ``camera`` has eye, target and angle, ``world`` its ground and light. */
  finish({ eye, target, angle }, world) {
    const gl = this.gl, { width, height } = this.canvas;
    for (const batch of [this.tubes, ...Object.values(this.solids)]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.copies);
      gl.bufferData(gl.ARRAY_BUFFER, batch.data.subarray(0, batch.stride * batch.count), gl.DYNAMIC_DRAW);
    }
    eye = sub(eye, this.origin);
    target = sub(target, this.origin);
    const view = looking(eye, target), far = 6 * world.sight, near = Math.max(0.02, 0.004 * world.size);
    const lens = perspective(angle, width / height, near, Math.max(far, 20 * world.size));
    this.camera = product(lens, view.matrix);
    const middle = sub(world.shade_at || add(target, this.origin), this.origin);
    const sun = looking(add(middle, scaled(world.sun, 3 * world.shade)), middle, [1, 0, 0]);
    const sunlight = product(orthographic(world.shade, 0.01, 6 * world.shade), sun.matrix);
    const spread = [Math.tan(angle / 2) * width / height, Math.tan(angle / 2)];
    const values = {
      ...world, camera: this.camera, eye, sunlight, shaded: 1, pixel: 1.35 * Math.tan(angle / 2) / height, spread,
      right: view.right, up: view.up, ahead: scaled(view.back, -1),
      middle: [eye[0], eye[1], world.ground - this.origin[2]], reach: 8 * world.sight,
      slip: [this.origin[0] % (world.mesh > 0 ? 5 * world.mesh : 1e4),
        this.origin[1] % (world.mesh > 0 ? 5 * world.mesh : 1e4)],
    };
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.target);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.everything({ ...values, camera: sunlight, pixel: 0 }, "_depth");
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.depthMask(false);
    this.set(this.programs.sky, values);
    this.draw(this.flat);
    gl.depthMask(true);
    if (world.ground !== null) {
      this.set(this.programs.ground, values);
      this.draw(this.flat);
    }
    this.everything(values);
  }

  /** Where a place is on the canvas, in shares of its size from the upper left; null behind the camera. */
  on_screen(place) {
    const p = sub(place, this.origin), m = this.camera;
    const [x, y, , w] = [0, 1, 2, 3].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
    return w > 0 ? [0.5 + 0.5 * x / w, 0.5 - 0.5 * y / w] : null;
  }
}
