// A long list, newest first. Loads pages on demand, adds new entries at the top, and keeps at most MAX_ITEMS entries.
// Older entries form a separate section of the list, which starts at a cursor.
import { get, queryString } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./dom.js";
import { historyEntry } from "./router.js";
import { TERMINAL } from "./states.js";

const FIRST_PAGE_SIZE = 100;
/** Size of the pages after the first; larger, because the user is scrolling. */
const LATER_PAGE_SIZE = 200;
/** Page size of a poll for new entries. */
const POLL_PAGE_SIZE = 25;
const MAX_POLL_PAGES = 5;
/** Maximum number of entries kept, and maximum number of new entries that are not shown yet. */
const MAX_ITEMS = 500;
const MAX_WATCHED = 20;

/**
 * @typedef {{ items: any[], next?: string }} Page
 * @typedef {{ key: string, pages: Page[], newItems: any[], failure?: import("./api.js").Failure, busy: boolean }} List
 */

/**
 * Lists of pages that the user left, by history entry, so that going back restores the same rows.
 * @type {Map<string, List>}
 */
const storedLists = new Map();
const MAX_STORED_LISTS = 10;

/** @param {string} name @param {List} list */
function storeList(name, list) {
  storedLists.delete(name);
  if (list.pages.length) storedLists.set(name, list);
  if (storedLists.size > MAX_STORED_LISTS) storedLists.delete(/** @type {string} */ (storedLists.keys().next().value));
}

/** Forgets all stored lists, so that the next user does not see them. */
export const clearStoredLists = () => storedLists.clear();

const EMPTY_LIST = { pages: [], newItems: [], failure: undefined, busy: true };

/** Appends a page; an empty page only updates the cursor. @param {Page[]} pages @param {Page} page */
const appendPage = (pages, { items, next }) =>
  items.length || !pages.length
    ? [...pages, { items, next }]
    : [...pages.slice(0, -1), { ...pages[pages.length - 1], next }];

/** Keeps complete pages up to MAX_ITEMS entries, and always the first page. @param {Page[]} pages */
function trimPages(pages) {
  let count = 0;
  return pages.filter(({ items }, index) => (count += items.length) <= MAX_ITEMS || index === 0);
}

/**
 * Where a list comes from: `loadPage` gets the parameters of a page, `loadOne` an entry whose state may have changed.
 * @typedef {{ loadPage: (parameters: Record<string, string | number | undefined>) => Promise<Page>,
 *   loadOne: (item: any) => Promise<any> }} Source
 */

/** The source of a list of the service. @param {string} path @returns {Source} */
const resource = (path) => ({
  loadPage: (parameters) => get(path + queryString(parameters)),
  loadOne: ({ id }) => get(`${path}/${id}`),
});

/**
 * @param {string} path of the list
 * @param {Record<string, string | undefined>} filter
 * @param {{ hold: () => boolean, at?: string, interval?: number, source?: Source }} how `hold`: whether new entries
 *   stay hidden until the user asks for them; `at`: cursor where the section starts (such a section is not polled for
 *   new entries)
 */
export function usePagedList(path, filter, { hold, at, interval = 2_000, source = resource(path) }) {
  const key = JSON.stringify([path, filter, at ?? ""]);
  const [list, setList] = useState(/** @type {List} */ ({ key, ...EMPTY_LIST }));
  const latest = useRef(list);
  const latestHold = useRef(hold);
  latestHold.current = hold;
  const update = useCallback((/** @type {List} */ next) => {
    latest.current = next;
    setList(next);
  }, []);

  const reload = useCallback(async () => {
    update(latest.current.key === key ? { ...latest.current, busy: true, failure: undefined } : { key, ...EMPTY_LIST });
    try {
      const page = await source.loadPage({ ...filter, limit: FIRST_PAGE_SIZE, cursor: at });
      if (latest.current.key === key)
        update({ key, pages: appendPage([], page), newItems: [], failure: undefined, busy: false });
    } catch (caught) {
      const failure = /** @type {import("./api.js").Failure} */ (caught);
      if (latest.current.key === key) update({ ...latest.current, failure, busy: false });
    }
  }, [key]);

  const loadMore = useCallback(async () => {
    const before = latest.current;
    const next = before.pages[before.pages.length - 1]?.next;
    const count = before.pages.reduce((sum, { items }) => sum + items.length, 0);
    if (before.busy || !next || before.key !== key || count >= MAX_ITEMS) return;
    update({ ...before, busy: true });
    try {
      const limit = Math.min(LATER_PAGE_SIZE, MAX_ITEMS - count);
      const page = await source.loadPage({ ...filter, limit, cursor: next });
      const list = latest.current;
      if (list.key === key) update({ ...list, pages: appendPage(list.pages, page), busy: false, failure: undefined });
    } catch (caught) {
      const failure = /** @type {import("./api.js").Failure} */ (caught);
      if (latest.current.key === key) update({ ...latest.current, failure, busy: false });
    }
  }, [key]);

  const showNew = useCallback(() => {
    const list = latest.current;
    if (list.newItems.length >= MAX_ITEMS) return reload();
    return update({ ...list, ...prependNew(list.pages, list.newItems) });
  }, [reload]);

  useEffect(() => {
    let disposed = false;
    let timer = 0;
    const poll = async () => {
      if (!document.hidden && !latest.current.busy && latest.current.newItems.length < MAX_ITEMS) {
        try {
          const updates = latest.current.pages.length
            ? await loadUpdates(source, filter, latest.current, Boolean(at))
            : null;
          if (disposed || latest.current.key !== key) return;
          if (updates === null) await reload();
          else update(mergeUpdates(latest.current, updates, latestHold.current()));
        } catch (caught) {
          const failure = /** @type {import("./api.js").Failure} */ (caught);
          if (!disposed && latest.current.key === key) update({ ...latest.current, failure });
        }
      }
      if (!disposed) timer = setTimeout(poll, interval);
    };
    const name = `${historyEntry()} ${key}`;
    const before = storedLists.get(name);
    if (before) {
      update({ ...before, busy: false, failure: undefined });
      poll();
    } else {
      reload().then(() => {
        if (!disposed) timer = setTimeout(poll, interval);
      });
    }
    return () => {
      disposed = true;
      clearTimeout(timer);
      if (latest.current.key === key) storeList(name, latest.current);
    };
  }, [key]);

  const shown = list.key === key ? list : { ...EMPTY_LIST };
  const items = shown.pages.flatMap((page) => page.items);
  const next = shown.pages.length ? shown.pages[shown.pages.length - 1].next : undefined;
  return {
    items,
    next,
    full: items.length >= MAX_ITEMS,
    newItems: shown.newItems,
    failure: shown.failure,
    busy: shown.busy,
    loadMore,
    showNew,
    refetch: reload,
  };
}

/** Moves the new entries to the top of the first page. @param {Page[]} pages @param {any[]} newItems */
const prependNew = (pages, newItems) => ({
  pages: newItems.length
    ? trimPages([{ ...pages[0], items: [...newItems, ...pages[0].items] }, ...pages.slice(1)])
    : pages,
  newItems: [],
});

/**
 * Loads new entries down to the first known one, and the current state of known entries that had not ended. Returns
 * null if there are too many new entries.
 * @param {Source} source @param {Record<string, string | undefined>} filter @param {List} list
 * @param {boolean} older whether the list is an older section
 */
async function loadUpdates(source, filter, list, older) {
  const items = list.pages.flatMap((page) => page.items);
  const known = new Set([...list.newItems, ...items].map(({ id }) => id));
  const seen = [];
  let cursor;
  for (let round = 0; !older && round < MAX_POLL_PAGES; round++) {
    const page = await source.loadPage({ ...filter, limit: POLL_PAGE_SIZE, cursor });
    seen.push(...page.items);
    cursor = page.next;
    if (!cursor || !known.size || !page.items.length || page.items.some(({ id }) => known.has(id))) break;
    if (round === MAX_POLL_PAGES - 1) return null;
  }
  const polled = new Set(seen.map(({ id }) => id));
  const unfinished = items
    .filter(({ id, state }) => state && !TERMINAL.has(state) && !polled.has(id))
    .slice(0, MAX_WATCHED);
  const others = await Promise.all(unfinished.map((item) => source.loadOne(item).catch(() => null)));
  return { seen, others: others.filter(Boolean), complete: !older && !cursor };
}

/**
 * Merges loaded entries into the list.
 * @param {List} list @param {{ seen: any[], others: any[], complete: boolean }} updates
 * @param {boolean} hold whether new entries stay hidden
 * @returns {List}
 */
function mergeUpdates(list, { seen, others, complete }, hold) {
  const byId = new Map([...seen, ...others].map((item) => [item.id, item]));
  const known = new Set([...list.newItems, ...list.pages.flatMap((page) => page.items)].map(({ id }) => id));
  const added = seen.filter(({ id }) => !known.has(id));
  // An entry can stop matching the filter: if the complete list was loaded, remove the missing entries.
  const oldest = seen.length ? seen[seen.length - 1].id : "g";
  const stays = (item) => byId.has(item.id) || (!complete && item.id < oldest);
  const pages = list.pages.map((page) => ({
    ...page,
    items: page.items.filter(stays).map((item) => byId.get(item.id) ?? item),
  }));
  const newItems = [...added, ...list.newItems.map((item) => byId.get(item.id) ?? item)].slice(0, MAX_ITEMS);
  return hold
    ? { ...list, pages, newItems, failure: undefined }
    : { ...list, ...prependNew(pages, newItems), failure: undefined };
}
