// Requests to the server. Every address carries the token, because it is part of the path.
const base = new URL("../api/", import.meta.url);

/** Error response of the server, in the words of the command line. */
export class Refusal extends Error {
  constructor(status, said) {
    super(said.text || `request failed (${status})`);
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

/** Events of this page's tasks, for as long as it is open; `missed` is called where some may have been lost.
 *  A browser holds six connections to a server, so one tab listens for all of them; when it closes, the next one does. */
export function listen(page, heard, missed) {
  const name = `panhead ${base.pathname}`, others = new BroadcastChannel(name);
  const tell = (event) => (event.event === "missed" ? missed() : ["", page].includes(event.page) && heard(event));
  const share = (event) => { others.postMessage(event); tell(event); };
  others.onmessage = (message) => tell(message.data);
  navigator.locks.request(name, () => new Promise(() => { // held until this tab is closed
    const source = new EventSource(address("events", { page: "*" }));
    source.onopen = () => share({ event: "missed" });
    source.onmessage = (message) => share(JSON.parse(message.data));
  }));
}
