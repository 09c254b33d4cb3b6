// What the page asks of the program. Every address carries the token, because it is part of the path.
const base = new URL("../api/", import.meta.url);

/** A refusal in the words of the command line. */
export class Refusal extends Error {
  constructor(status, said) {
    super(said.text || `refused (${status})`);
    this.status = status;
    this.problems = said.problems || [];
  }
}

async function answered(response) {
  const said = await response.json().catch(() => ({ text: `no answer (${response.status})` }));
  if (!response.ok) throw new Refusal(response.status, said);
  return said;
}

function address(path, query = {}) {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

export async function get(path, query) {
  return answered(await fetch(address(path, query)));
}

export async function post(name, body) {
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return answered(await fetch(address(name), request));
}

/** A file that the browser saves. */
export async function download(path, query) {
  const response = await fetch(address(path, query));
  if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => ({})));
  const named = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") || "");
  saveAs(await response.blob(), named ? named[1] : "result");
}

export function saveAs(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Events of this page's tasks, for as long as the page is open. */
export function listen(page, heard) {
  const source = new EventSource(address("events", { page }));
  source.onmessage = (message) => heard(JSON.parse(message.data));
  return source;
}
