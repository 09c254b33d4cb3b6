// DOM helpers: create elements, fields with error messages, dialogs.
export const $ = (id) => document.getElementById(id);

/** el("button", {type: "button", onclick: f}, "words", child …) */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  dress(made, attributes);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  dress(made, attributes);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function dress(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value" && "value" in made) made.value = value;
    else if (key === "checked") made.checked = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
}

let names = 0;

/** A named input: label, unit, and room for what is wrong with it. */
export function field(label, control, { unit = "", about = "", path = "" } = {}) {
  const id = `f${++names}`;
  control.id = id;
  if (path) control.dataset.path = path;
  const wrong = el("p", { class: "wrong", id: `${id}w` });
  control.setAttribute("aria-describedby", wrong.id);
  const words = el("label", { for: id, title: about || null }, label, unit ? el("span", { class: "unit" }, ` (${unit})`) : null);
  return el("div", { class: "field" }, words, control, wrong);
}

export function complain(control, words) {
  control.setAttribute("aria-invalid", words ? "true" : "false");
  const place = $(control.getAttribute("aria-describedby"));
  if (place) place.textContent = words;
}

/** Pass the value of a control to `take` when it changes; show an error below it. */
export function onTyped(control, take, before = "") {
  control.dataset.shown = control.value;
  control.addEventListener("change", async () => {
    control.dataset.shown = control.value;
    try {
      await take(typed(control.value));
      complain(control, "");
    } catch (error) {
      complain(control, before + (error.problems?.[0]?.says || error.message));
    }
  });
}

/** True if a field of the host has the focus and holds text that has not been submitted. */
export function typing(host = document) {
  const control = document.activeElement;
  return host.contains(control) && control.dataset.shown !== undefined && control.value !== control.dataset.shown;
}

/** Submit what is being typed, as if its field had lost the focus. */
export function takeTyped() {
  if (!typing()) return;
  const control = document.activeElement;
  control.blur();
  control.focus();
}

const late = new WeakSet();

/** New content of a panel. The field with the focus keeps it, and its selection; what is being typed is waited for. */
export function refill(host, parts, again) {
  if (typing(host)) {
    if (!late.has(host)) host.addEventListener("focusout", () => { late.delete(host); setTimeout(again); }, { once: true });
    return void late.add(host);
  }
  const old = document.activeElement, path = host.contains(old) ? old.dataset.path : "";
  const selected = path && old.type === "text" ? [old.selectionStart, old.selectionEnd] : null;
  host.replaceChildren(...parts);
  const now = path ? host.querySelector(`[data-path="${CSS.escape(path)}"]`) : null;
  now?.focus();
  if (selected && now?.type === "text") now.setSelectionRange(...selected);
}

/** A number as it is written in a field: 0.02 stays a number, "20 mm" stays text, nothing is nothing. */
export function typed(text) {
  const plain = text.trim();
  if (!plain) return null;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : plain;
}

export const round = (x, digits = 4) => Number(x.toFixed(digits));
export const mm = (metres) => `${(1000 * metres).toFixed(Math.abs(metres) < 0.0995 ? 1 : 0)} mm`;

/** A question with text fields; resolves to their values, or null. */
export function ask(title, fields, check) {
  const dialog = $("ask"), inputs = {};
  $("ask-title").textContent = title;
  $("ask-wrong").textContent = "";
  $("ask-fields").replaceChildren(...Object.entries(fields).map(([key, { label, value, options }]) => {
    const control = options
      ? el("select", {}, ...options.map((o) => el("option", { value: o.value ?? o }, o.label ?? o)))
      : el("input", { type: "text", required: true, spellcheck: "false" });
    control.value = value ?? control.value;
    inputs[key] = control;
    return field(label, control);
  }));
  return new Promise((resolve) => {
    const found = () => Object.fromEntries(Object.entries(inputs).map(([key, c]) => [key, c.value.trim()]));
    dialog.querySelector("form").onsubmit = async (event) => {
      if (event.submitter?.value !== "yes") return;
      event.preventDefault();
      try {
        const answer = check ? await check(found()) : found();
        dialog.onclose = null;
        dialog.close();
        resolve(answer ?? found());
      } catch (error) {
        $("ask-wrong").textContent = error.message;
      }
    };
    dialog.onclose = () => resolve(null);
    dialog.showModal();
    Object.values(inputs)[0]?.select?.();
  });
}
