/* Colours of the picture by day and by night; the page's own come from its style sheet. */

const STUFF = {
  ballast: "#8d8a85", sleeper: "#a8a59f", rail: "#6b6f76", mast: "#8e979f", concrete: "#a9a9a4", tube: "#b4bcc4",
  insulator: "#7a3b22", steady_arm: "#c9d0d6", contact: "#b5652b", messenger: "#5b6673", auxiliary: "#5b6673",
  dropper: "#2e7d6b", slack: "#f0452a", clamp: "#3d4650", rail_profile: "#aeb6bf", car: "#cfd4d9", glass: "#20303f",
  stripe: "#b3262e", bogie: "#4a5058", wheel: "#5d646c", steel: "#5f6975", light_steel: "#b9c1c9", carbon: "#22262b",
  force: "#d81e3c", joint: "#39424d",
};
const HUES = { blue: "#2f62e0", orange: "#dd5a1b", green: "#149184", purple: "#8b3fd1", gold: "#b98208",
  grey: "#71808f",
  red: "#c92a2a", sky: "#1283c4", ink: "#3a4656", pale: "#bcc8d6" };
const DAY = { haze: "#dfe8f0", zenith: "#8fb6dc", soil: "#9a978c", floor_color: "#a3ab86", line_color: "#7f8a99",
  plate: "#d5dbe2" };
const NIGHT = { haze: "#232c3b", zenith: "#0c1220", soil: "#2a2f3a", floor_color: "#2c3330", line_color: "#71809a",
  plate: "#333d4d" };

const lights = (table) => Object.fromEntries(Object.entries(table).map(([name, hex]) => [name, light_of(hex)]));

function theme_now() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, hues = lights(HUES);
  const page = getComputedStyle(document.documentElement);
  const names = ["ink", "grey", "pale", "grid", "blue", "orange", "green", "purple", "red", "gold", "sky"];
  const css = Object.fromEntries(names.map((name) => [name, page.getPropertyValue(`--${name}`).trim()]));
  return { world: lights(dark ? NIGHT : DAY), stuff: { ...lights(STUFF), hues, pantographs: hues }, css };
}
