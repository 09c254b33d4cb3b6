// Run settings: pantographs, spacing, speed, mean force, solver; more keys of the schema in a fold.
import { $, complain, el, field, refill } from "./dom.js";
import { plainField, reach, schemaOf } from "./inspector.js";
import { changed, editRun, state } from "./state.js";

const MORE = [
  ["journey", "start"], ["journey", "stop"], ["journey", "judged_from"], ["journey", "judged_to"], ["journey", "ramp"], ["journey", "run_in"],
  ["numerics", "step"], ["numerics", "element_length"], ["numerics", "keep"], ["lateral"], ["droppers"], ["standard"],
];
let folded = true;

export async function showRun(listing) {
  const host = $("run");
  if (!state.run) return host.replaceChildren();
  const schema = await schemaOf("run");
  const plain = (path, label) => plainField(state.run, path, schema, "run", editRun, label);
  const automatic = el("input", { type: "checkbox", id: "automatic" });
  automatic.checked = state.automatic;
  automatic.addEventListener("change", () => { state.automatic = automatic.checked; changed("automatic"); });
  const more = el("details", { open: !folded || null, ontoggle: () => { folded = !more.open; } }, el("summary", {}, "More settings"), ...MORE.map((p) => plain(p)));
  refill(host, [el("h2", {}, "Run"),
    state.run.speed_table ? el("p", { class: "quiet" }, "The speed follows a table in the file.") : plain(["speed"], "speed"),
    plain(["solver"], "solver"),
    ...(state.run.train || []).flatMap((_, k) => pantograph(k, listing, plain)),
    el("div", { class: "buttons" }, el("button", { type: "button", onclick: addPantograph }, "Add a pantograph")),
    el("div", {}, el("label", {}, automatic, " Repeat the run on every change")), more], () => showRun(listing));
}

function pantograph(k, listing, plain) {
  const train = state.run.train, now = reach(state.run, ["train", k, "pantograph"]);
  const known = [...listing.files, ...listing.shipped].filter((f) => f.kind === "pantograph" || f.kind === "linkage");
  const names = known.map((f) => (f.path.startsWith("shipped:") ? f.path.split("/")[1] : f.path));
  if (typeof now === "string" && !names.includes(now)) names.unshift(now);
  const control = typeof now === "string" || now === undefined
    ? el("select", {}, ...names.map((n) => el("option", { value: n }, n)))
    : el("select", { disabled: true }, el("option", {}, "defined in the run"));
  if (typeof now === "string") control.value = now;
  control.addEventListener("change", async () => {
    try {
      await editRun(["train", k, "pantograph"], control.value);
    } catch (error) {
      complain(control, error.problems?.[0]?.says || error.message);
    }
  });
  const parts = [field(train.length > 1 ? `pantograph ${k + 1}` : "pantograph", control, { path: `run:train.${k}.pantograph` })];
  if (k > 0) parts.push(plain(["train", k, "behind"], "behind the first"));
  parts.push(plain(["train", k, "mean_force"], "target mean force"));
  if (k > 0) parts.push(el("button", { type: "button", onclick: () => editRun(["train", k], null) }, `Remove pantograph ${k + 1}`));
  return parts;
}

function addPantograph() {
  const train = state.run.train, last = train.at(-1);
  const behind = train.length > 1 ? Number.parseFloat(last.behind) + 100 : 100;
  return editRun(["train", train.length], { pantograph: last.pantograph, behind: `${behind} m` });
}
