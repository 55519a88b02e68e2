// Client of the public REST API, with the session of the user. All pages use it for their requests.

/**
 * @typedef {{ type: string, title: string, status: number, detail: string }} ProblemBody
 * @typedef {Error & Partial<Pick<Problem, "body" | "status" | "kind">>} Failure a Problem, or another error
 * @typedef {{ signedIn: true, name: string, keyId: string, tenant: string, operates: boolean, roles: string[],
 *   csrf: string, expiresAt: string, goodbye?: string, signOn?: undefined }} Session
 * @typedef {{ signedIn?: false, signOn?: string, csrf?: undefined }} NoSession
 */

const SESSION = "/console/session";
const BASE = "/api/v1";

/** A problem (RFC 9457) that the service returned, or an unreachable service (kind `offline`). */
export class Problem extends Error {
  /** @param {ProblemBody} body */
  constructor(body) {
    super(body.detail || body.title);
    this.body = body;
    this.status = body.status;
    this.kind = String(body.type ?? "")
      .split(":")
      .pop();
  }
}

let csrfToken = "";
/** @type {() => void} */
let signedOutListener = () => {};

/** @param {() => void} listener called when the session has ended */
export const onSignedOut = (listener) => {
  signedOutListener = listener;
};

/**
 * Sends a request. Returns the response if it is successful; otherwise throws a Problem.
 * @param {string} path @param {RequestInit} [options]
 */
async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      credentials: "same-origin",
      cache: "no-store",
      ...options,
      headers: {
        Accept: "application/json",
        ...(options.method && options.method !== "GET" ? { "X-Sallyport-CSRF": csrfToken } : {}),
        ...options.headers,
      },
    });
  } catch (failure) {
    if (failure instanceof Error && failure.name === "AbortError") throw failure;
    throw new Problem({
      type: "offline",
      title: "No answer",
      status: 0,
      detail: "The service does not answer. It may be restarting; this page keeps trying.",
    });
  }
  if (response.ok) return response;
  const body = await response
    .json()
    .catch(() => ({ type: "", title: response.statusText, status: response.status, detail: "" }));
  if (response.status === 401 && path !== SESSION) signedOutListener();
  throw new Problem(body);
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} the JSON of the response */
async function requestJson(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : response.json();
}

/** @param {string} method @param {unknown} body */
const jsonOptions = (method, body) => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});

/** @param {string} path below /api/v1 @param {RequestInit} [options] */
export const get = (path, options) => requestJson(BASE + path, options);

/** @param {string} path below /api/v1 @param {unknown} [body] @param {RequestInit} [options] */
export const post = (path, body, options = {}) =>
  requestJson(
    BASE + path,
    body === undefined ? { method: "POST", ...options } : { ...jsonOptions("POST", body), ...options },
  );

/**
 * Sends a file as the body.
 * @param {string} path below /api/v1 @param {File} file @param {string} type its media type
 * @param {RequestInit} [options]
 */
export async function postFile(path, file, type, options = {}) {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Error("The file cannot be read. It may have changed since you chose it: choose it again.");
  }
  return requestJson(BASE + path, {
    method: "POST",
    body: file,
    ...options,
    headers: { "Content-Type": type, ...options.headers },
  });
}

/** Sends a file with PUT, as {@link postFile} does. @param {string} path @param {File} file @param {string} type */
export const putFile = (path, file, type) => postFile(path, file, type, { method: "PUT" });

/** A new idempotency key. Also works on pages without TLS, where `crypto.randomUUID` does not exist. */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} path below /api/v1 @param {unknown} body */
export const put = (path, body) => requestJson(BASE + path, jsonOptions("PUT", body));

/** @param {string} path below /api/v1 */
export const remove = (path) => requestJson(BASE + path, { method: "DELETE" });

/** The health checks of the node that answers, with their data. */
export const getReadiness = () => requestJson("/health/ready");

/**
 * Returns the approval of a link; with a decision, also decides it.
 * @param {{ token: string, decision?: string, note?: string }} body
 */
export const openApprovalLink = (body) =>
  requestJson("/console/approval-link", { ...jsonOptions("POST", body), credentials: "omit" });

/**
 * Returns the session; without one, the address of single sign-on, if configured.
 * @returns {Promise<Session | NoSession>}
 */
export async function getSession() {
  const current = await requestJson(SESSION);
  csrfToken = current.csrf ?? "";
  return current;
}

/** @param {string} key @returns {Promise<Session>} */
export async function logIn(key) {
  const created = await requestJson(SESSION, jsonOptions("POST", { key }));
  csrfToken = created.csrf;
  return created;
}

export async function logOut() {
  await requestJson(SESSION, { method: "DELETE" });
  csrfToken = "";
}

/**
 * Builds a query string from the values that are set.
 * @param {Record<string, string | number | undefined | null>} values
 */
export function queryString(values) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return entries.length ? "?" + new URLSearchParams(entries.map(([name, value]) => [name, String(value)])) : "";
}

/**
 * Loads the first entries of a list, and the cursor after them.
 * @param {string} path @param {Record<string, string | undefined>} filter
 * @param {number} maxItems maximum number of entries @param {number} maxPageSize maximum page size of the service
 */
export async function loadFirst(path, filter, maxItems, maxPageSize) {
  const items = [];
  let next;
  do {
    const page = await get(
      path + queryString({ ...filter, limit: Math.min(maxPageSize, maxItems - items.length), cursor: next }),
    );
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < maxItems);
  return { items, next };
}

/**
 * Loads a complete list as NDJSON, one entry per line.
 * @param {string} path @param {Record<string, string | undefined>} filter
 */
export async function loadAllLines(path, filter) {
  const type = "application/x-ndjson";
  const parts = [];
  let next;
  do {
    const response = await request(BASE + path + queryString({ ...filter, cursor: next }), {
      headers: { Accept: `${type}, application/problem+json` },
    });
    parts.push(await response.blob());
    next = response.headers.get("X-Next-Cursor");
  } while (next);
  return new Blob(parts, { type });
}

/** Loads the events of a trace or journal, up to a maximum. @param {string} path @param {number} [maxEvents] */
export async function loadEvents(path, maxEvents = 5000) {
  const events = [];
  let next = 0;
  do {
    const page = await get(`${path}?after=${next}`);
    events.push(...page.events);
    next = page.next;
  } while (next && events.length < maxEvents);
  return { events, cut: Boolean(next) };
}

/** The message of a failure for the user. @param {unknown} failure */
export const errorMessage = (failure) => (failure instanceof Error ? failure.message : String(failure));
