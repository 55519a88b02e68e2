// Routing: the URL alone determines the page.
import { el, useLayoutEffect, useState } from "./dom.js";

const BASE_PATH = "/console";
const listeners = new Set();

/** The current path below /console, and the query. */
export const currentLocation = () => ({
  path: location.pathname.slice(BASE_PATH.length).replace(/\/+$/, "") || "/",
  query: new URLSearchParams(location.search),
});

const notifyListeners = () => listeners.forEach((listener) => listener());

/** Creates the name of a history entry; it is stored in the entry. */
const newEntryName = () => `${Date.now().toString(36)}.${Math.random().toString(36).slice(2)}`;
let currentEntry = history.state?.entry ?? newEntryName();
history.replaceState({ entry: currentEntry }, "");
/** Scroll positions of history entries that the user left. @type {Map<string, number>} */
const scrollPositions = new Map();
// The browser would scroll before the rows are loaded; restoreScroll does it instead.
history.scrollRestoration = "manual";

/** Returns the name of the current history entry, by which a page finds its stored state again. */
export const historyEntry = () => currentEntry;

addEventListener("popstate", (event) => {
  scrollPositions.set(currentEntry, scrollY);
  currentEntry = event.state?.entry ?? newEntryName();
  notifyListeners();
  restoreScroll(scrollPositions.get(currentEntry) ?? 0);
});

const USER_INPUT_EVENTS = ["wheel", "touchstart", "pointerdown", "keydown"];
const SCROLL_TIMEOUT = 3_000;
let cancelScroll = () => {};

/**
 * Restores the scroll position as soon as the page is tall enough. Stops when the user scrolls or types.
 * @param {number} top
 */
function restoreScroll(top) {
  cancelScroll();
  const deadline = performance.now() + SCROLL_TIMEOUT;
  let frame = 0;
  const stop = () => {
    cancelAnimationFrame(frame);
    USER_INPUT_EVENTS.forEach((type) => removeEventListener(type, stop));
  };
  cancelScroll = stop;
  USER_INPUT_EVENTS.forEach((type) => addEventListener(type, stop, { passive: true }));
  const tryScroll = () => {
    const reached = document.documentElement.scrollHeight - innerHeight >= top;
    if (reached) scrollTo(0, top);
    if (reached || performance.now() > deadline) stop();
    else frame = requestAnimationFrame(tryScroll);
  };
  frame = requestAnimationFrame(tryScroll);
}

/** @param {string} to below /console @param {{ replace?: boolean }} [how] */
export function navigate(to, { replace = false } = {}) {
  const path = location.pathname;
  cancelScroll();
  if (!replace) {
    scrollPositions.set(currentEntry, scrollY);
    currentEntry = newEntryName();
  }
  history[replace ? "replaceState" : "pushState"]({ entry: currentEntry }, "", BASE_PATH + to);
  if (location.pathname !== path) scrollTo(0, 0);
  notifyListeners();
}

/** Changes the query without a new history entry. @param {Record<string, string | undefined>} changes */
export function updateQuery(changes) {
  const { path, query } = currentLocation();
  Object.entries(changes).forEach(([name, value]) => (value ? query.set(name, value) : query.delete(name)));
  const text = query.toString();
  navigate(path + (text ? "?" + text : ""), { replace: true });
}

export function useLocation() {
  const [, rerender] = useState(0);
  // Before the browser handles the next event, so that no change of the location is missed.
  useLayoutEffect(() => {
    const listener = () => rerender((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return currentLocation();
}

/** A link within the console. @param {string} to @param {Record<string, any>} props */
export const link = (to, props, ...content) =>
  el.a(
    {
      href: BASE_PATH + to,
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
        navigate(to);
      },
    },
    ...content,
  );
