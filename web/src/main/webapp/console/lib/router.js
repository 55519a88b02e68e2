// Routing: the URL alone determines the page.
import { el, useEffect, useState } from "./dom.js";

const ROOT = "/console";
const listeners = new Set();

/** The current path below /console, and the query. */
export const place = () => ({
  path: location.pathname.slice(ROOT.length).replace(/\/+$/, "") || "/",
  query: new URLSearchParams(location.search),
});

const tell = () => listeners.forEach((listener) => listener());

/** Creates the name of a history entry; it is stored in the entry. */
const fresh = () => `${Date.now().toString(36)}.${Math.random().toString(36).slice(2)}`;
let here = history.state?.entry ?? fresh();
history.replaceState({ entry: here }, "");
/** Scroll positions of history entries that the user left. @type {Map<string, number>} */
const scrolled = new Map();
// The browser would scroll before the rows are loaded; scrollBack does it instead.
history.scrollRestoration = "manual";

/** Returns the name of the current history entry, by which a page finds its stored state again. */
export const entry = () => here;

addEventListener("popstate", (event) => {
  scrolled.set(here, scrollY);
  here = event.state?.entry ?? fresh();
  tell();
  scrollBack(scrolled.get(here) ?? 0);
});

const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"];
const PATIENCE = 3_000;
let stopBefore = () => {};

/**
 * Restores the scroll position as soon as the page is tall enough. Stops when the user scrolls or types.
 * @param {number} top
 */
function scrollBack(top) {
  stopBefore();
  const until = performance.now() + PATIENCE;
  let frame = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    HANDS.forEach((hand) => removeEventListener(hand, stop));
  };
  stopBefore = stop;
  HANDS.forEach((hand) => addEventListener(hand, stop, { passive: true }));
  const look = () => {
    const reached = document.documentElement.scrollHeight - innerHeight >= top;
    if (reached) scrollTo(0, top);
    if (reached || performance.now() > until) stop();
    else frame = requestAnimationFrame(look);
  };
  frame = requestAnimationFrame(look);
}

/** @param {string} to below /console @param {{ replace?: boolean }} [how] */
export function go(to, { replace = false } = {}) {
  const path = location.pathname;
  stopBefore();
  if (!replace) {
    scrolled.set(here, scrollY);
    here = fresh();
  }
  history[replace ? "replaceState" : "pushState"]({ entry: here }, "", ROOT + to);
  if (location.pathname !== path) scrollTo(0, 0);
  tell();
}

/** Changes the query without a new history entry. @param {Record<string, string | undefined>} changes */
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
export const link = (to, props, ...content) =>
  el.a(
    {
      href: ROOT + to,
      ...props,
      onClick: (event) => {
        if (
          event.defaultPrevented ||
          event.button !== 0 ||
          event.metaKey ||
          event.ctrlKey ||
          event.shiftKey ||
          event.altKey
        )
          return;
        event.preventDefault();
        go(to);
      },
    },
    ...content,
  );
