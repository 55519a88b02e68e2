// The public REST API, as the one who has logged in. No page asks it in any other way.

/**
 * @typedef {{ type: string, title: string, status: number, detail: string, member?: string, line?: number, column?: number,
 *   codeFrame?: string, state?: string }} ProblemBody
 * @typedef {"PENDING"|"RUNNING"|"WAITING"|"COMPLETED"|"FAILED"|"CANCELLED"|"TIMED_OUT"} State
 * @typedef {{ id: string, state: State, tier: string, language: string, codePreview: string, errorCode?: string, attempt: number,
 *   priority: number, batch?: string, rerunOf?: string, parent?: string, createdAt: string, startedAt?: string, finishedAt?: string,
 *   queueMillis?: number, runMillis?: number, wallMillis?: number, labels: Record<string, string> }} Summary
 * @typedef {Summary & { args: unknown, result?: unknown, error?: { code: string, culprit: string, message: string, line?: number,
 *   column?: number, stack?: string, tool?: string, call?: number }, output: string, outputLength: number, errorOutput: string,
 *   errorOutputLength: number, truncated: boolean, progress?: { fraction: number, text: string }, cancelRequested?: boolean,
 *   queuePosition?: number, waitingFor?: { reason: string, since: string, until: string }, limits: Record<string, number>,
 *   grants: string[], intent?: string, durability: string }} Execution
 * @typedef {{ signedIn: boolean, name: string, keyId: string, tenant: string, operates: boolean, roles: string[], csrf: string, expiresAt: string, goodbye?: string }} Session
 */

const SESSION = "/console/session";
const BASE = "/api/v1";

/** What the service said instead of an answer. */
export class Problem extends Error {
  /** @param {ProblemBody} body */
  constructor(body) {
    super(body.detail || body.title);
    this.body = body;
    this.status = body.status;
    this.kind = String(body.type ?? "").split(":").pop();
  }
}

let guard = "";
/** @type {() => void} */
let onSignedOut = () => {};

/** @param {() => void} listener told when the session is over */
export const whenSignedOut = (listener) => { onSignedOut = listener; };

/** What is answered when all is well; else throws what was said. */
async function answered(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      credentials: "same-origin",
      cache: "no-store",
      ...options,
      headers: { Accept: "application/json", ...(options.method && options.method !== "GET" ? { "X-Sallyport-CSRF": guard } : {}), ...options.headers },
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem({ type: "offline", title: "No answer", status: 0, detail: "The service does not answer. It may be restarting; this page goes on asking." });
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({ type: "", title: response.statusText, status: response.status, detail: "" }));
  if (response.status === 401 && path !== SESSION) onSignedOut();
  throw new Problem(body);
}

async function send(path, options) {
  const response = await answered(path, options);
  return response.status === 204 ? null : response.json();
}

const json = (method, body) => ({ method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

/** @param {string} path below /api/v1 */
export const get = (path, options) => send(BASE + path, options);
export const post = (path, body, options = {}) =>
  send(BASE + path, body === undefined ? { method: "POST", ...options } : { ...json("POST", body), ...options });
export const put = (path, body) => send(BASE + path, json("PUT", body));
export const remove = (path) => send(BASE + path, { method: "DELETE" });

/** How the node that answers is: its checks, each with what it tells of itself. */
export const ready = (options) => send("/health/ready", options);

/** What a link leads to, and with a decision what it decided. @param {{ token: string, decision?: string, note?: string }} body */
export const openLink = (body) => send("/console/approval-link", { ...json("POST", body), credentials: "omit" });

/** Whose session it is, if there is one; else where one logs in besides with a key. @returns {Promise<Session | { signedIn: false, signOn?: string }>} */
export async function session() {
  const told = await send(SESSION);
  guard = told.csrf ?? "";
  return told;
}

/** @param {string} key @returns {Promise<Session>} */
export async function logIn(key) {
  const told = await send(SESSION, json("POST", { key }));
  guard = told.csrf;
  return told;
}

export async function logOut() {
  await send(SESSION, { method: "DELETE" });
  guard = "";
}

/** A query string of what has a value. @param {Record<string, string | number | undefined | null>} values */
export function query(values) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return set.length ? "?" + new URLSearchParams(set.map(([name, value]) => [name, String(value)])) : "";
}

/** The first of a list, and where it goes on. @param {string} path @param {Record<string, string | undefined>} filter @param {number} most @param {number} page the most that one answer holds */
export async function first(path, filter, most, page) {
  const items = [];
  let next;
  do {
    const answer = await get(path + query({ ...filter, limit: Math.min(page, most - items.length), cursor: next }));
    items.push(...answer.items);
    next = answer.next;
  } while (next && items.length < most);
  return { items, next };
}

/** All of a list, an entry a line. @param {string} path @param {Record<string, string | undefined>} filter */
export async function everyLine(path, filter) {
  const type = "application/x-ndjson";
  const parts = [];
  let next;
  do {
    const page = await answered(BASE + path + query({ ...filter, cursor: next }), { headers: { Accept: `${type}, application/problem+json` } });
    parts.push(await page.blob());
    next = page.headers.get("X-Next-Cursor");
  } while (next);
  return new Blob(parts, { type });
}

/** All events of a trace or journal. @param {string} path @param {number} [most] */
export async function everyEvent(path, most = 5000) {
  const events = [];
  let next = 0;
  do {
    const page = await get(`${path}?after=${next}`);
    events.push(...page.events);
    next = page.next;
  } while (next && events.length < most);
  return { events, cut: Boolean(next) };
}

/** What a person is told of a failure. @param {unknown} failure */
export const told = (failure) => (failure instanceof Error ? failure.message : String(failure));
