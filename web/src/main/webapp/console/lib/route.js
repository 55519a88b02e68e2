// Real addresses: what is shown follows from the address alone.
import { el, useEffect, useState } from "./dom.js";

const ROOT = "/console";
const listeners = new Set();

/** Where we are: path below /console and query. */
export const place = () => ({
  path: location.pathname.slice(ROOT.length).replace(/\/+$/, "") || "/",
  query: new URLSearchParams(location.search),
});

const tell = () => listeners.forEach((listener) => listener());
addEventListener("popstate", tell);

/** @param {string} to below /console @param {{ replace?: boolean }} [how] */
export function go(to, { replace = false } = {}) {
  const path = location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", ROOT + to);
  if (location.pathname !== path) scrollTo(0, 0);
  tell();
}

/** Changes the query, leaving no trace in the history. @param {Record<string, string | undefined>} changes */
export function refine(changes) {
  const { path, query } = place();
  Object.entries(changes).forEach(([name, value]) => (value ? query.set(name, value) : query.delete(name)));
  const text = query.toString();
  go(path + (text ? "?" + text : ""), { replace: true });
}

export function usePlace() {
  const [, renew] = useState(0);
  useEffect(() => {
    const listener = () => renew((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return place();
}

/** A link within the console. @param {string} to @param {Record<string, any>} props */
export const link = (to, props, ...content) => el.a({
  href: ROOT + to,
  ...props,
  onClick: (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  },
}, ...content);
