// A long list, newest first. Loads pages on demand, adds new entries at the top, and keeps at most MOST entries. Older
// entries form a separate section of the list, which starts at a cursor.
import { get, query } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./dom.js";
import { entry } from "./router.js";
import { TERMINAL } from "./states.js";

const PAGE = 100;
/** Size of the pages after the first; larger, because the user is scrolling. */
const FURTHER = 200;
/** Page size of a poll for new entries. */
const LOOK = 25;
const CATCH_UP = 5;
/** Maximum number of entries kept, and maximum number of new entries that are not shown yet. */
export const MOST = 500;
const WATCHED = 20;

/**
 * Lists of pages that the user left, by history entry, so that going back restores the same rows.
 * @type {Map<string, any>}
 */
const left = new Map();
const MOST_LEFT = 10;

function leave(name, list) {
  left.delete(name);
  if (list.pages.length) left.set(name, list);
  if (left.size > MOST_LEFT) left.delete(left.keys().next().value);
}

/** Forgets all stored lists, so that the next user does not see them. */
export const forgetLists = () => left.clear();

const NOTHING = { pages: [], fresh: [], failure: undefined, busy: true };

/** Appends a page; an empty page only updates the cursor. */
const joined = (pages, { items, next }) =>
  items.length || !pages.length
    ? [...pages, { items, next }]
    : [...pages.slice(0, -1), { ...pages[pages.length - 1], next }];

/** Keeps complete pages up to MOST entries, and always the first page. */
function kept(pages) {
  let count = 0;
  return pages.filter(({ items }, index) => (count += items.length) <= MOST || index === 0);
}

/**
 * @param {string} path of the list
 * @param {Record<string, string | undefined>} filter
 * @param {{ hold: () => boolean, at?: string, every?: number }} how `hold`: whether new entries stay hidden until the
 *   user asks for them; `at`: cursor where the section starts (such a section is not polled for new entries)
 */
export function useFeed(path, filter, { hold, at, every = 2_000 }) {
  const key = JSON.stringify([path, filter, at ?? ""]);
  const [list, setList] = useState({ key, ...NOTHING });
  const now = useRef(list);
  const held = useRef(hold);
  held.current = hold;
  const change = useCallback((next) => {
    now.current = next;
    setList(next);
  }, []);

  const begin = useCallback(async () => {
    change(now.current.key === key ? { ...now.current, busy: true, failure: undefined } : { key, ...NOTHING });
    try {
      const page = await get(path + query({ ...filter, limit: PAGE, cursor: at }));
      if (now.current.key === key) change({ key, pages: joined([], page), fresh: [], failure: undefined, busy: false });
    } catch (failure) {
      if (now.current.key === key) change({ ...now.current, failure, busy: false });
    }
  }, [key]);

  const more = useCallback(async () => {
    const before = now.current;
    const next = before.pages[before.pages.length - 1]?.next;
    const count = before.pages.reduce((sum, { items }) => sum + items.length, 0);
    if (before.busy || !next || before.key !== key || count >= MOST) return;
    change({ ...before, busy: true });
    try {
      const page = await get(path + query({ ...filter, limit: Math.min(FURTHER, MOST - count), cursor: next }));
      const list = now.current;
      if (list.key === key) change({ ...list, pages: joined(list.pages, page), busy: false, failure: undefined });
    } catch (failure) {
      if (now.current.key === key) change({ ...now.current, failure, busy: false });
    }
  }, [key]);

  const show = useCallback(() => {
    const list = now.current;
    if (list.fresh.length >= MOST) return begin();
    return change({ ...list, ...onTop(list.pages, list.fresh) });
  }, [begin]);

  useEffect(() => {
    let gone = false;
    let timer = 0;
    const round = async () => {
      if (!document.hidden && !now.current.busy && now.current.fresh.length < MOST) {
        try {
          const renewed = now.current.pages.length ? await renew(path, filter, now.current, Boolean(at)) : null;
          if (gone || now.current.key !== key) return;
          if (renewed === null) await begin();
          else change(merge(now.current, renewed, held.current()));
        } catch (failure) {
          if (!gone && now.current.key === key) change({ ...now.current, failure });
        }
      }
      if (!gone) timer = setTimeout(round, every);
    };
    const name = `${entry()} ${key}`;
    const before = left.get(name);
    if (before) {
      change({ ...before, busy: false, failure: undefined });
      round();
    } else {
      begin().then(() => {
        if (!gone) timer = setTimeout(round, every);
      });
    }
    return () => {
      gone = true;
      clearTimeout(timer);
      if (now.current.key === key) leave(name, now.current);
    };
  }, [key]);

  const shown = list.key === key ? list : { ...NOTHING };
  const items = shown.pages.flatMap((page) => page.items);
  const next = shown.pages.length ? shown.pages[shown.pages.length - 1].next : undefined;
  return {
    items,
    next,
    full: items.length >= MOST,
    fresh: shown.fresh,
    failure: shown.failure,
    busy: shown.busy,
    more,
    show,
    again: begin,
  };
}

const onTop = (pages, fresh) => ({
  pages: fresh.length ? kept([{ ...pages[0], items: [...fresh, ...pages[0].items] }, ...pages.slice(1)]) : pages,
  fresh: [],
});

/**
 * Loads new entries down to the first known one, and the current state of known entries that had not ended. Returns
 * null if there are too many new entries.
 */
async function renew(path, filter, list, older) {
  const items = list.pages.flatMap((page) => page.items);
  const known = new Set([...list.fresh, ...items].map(({ id }) => id));
  const seen = [];
  let cursor;
  for (let page = 0; !older && page < CATCH_UP; page++) {
    const answer = await get(path + query({ ...filter, limit: LOOK, cursor }));
    seen.push(...answer.items);
    cursor = answer.next;
    if (!cursor || !known.size || !answer.items.length || answer.items.some(({ id }) => known.has(id))) break;
    if (page === CATCH_UP - 1) return null;
  }
  const looked = new Set(seen.map(({ id }) => id));
  const open = items.filter(({ id, state }) => state && !TERMINAL.has(state) && !looked.has(id)).slice(0, WATCHED);
  const others = await Promise.all(open.map(({ id }) => get(`${path}/${id}`).catch(() => null)));
  return { seen, others: others.filter(Boolean), complete: !older && !cursor };
}

function merge(list, { seen, others, complete }, hold) {
  const byId = new Map([...seen, ...others].map((item) => [item.id, item]));
  const known = new Set([...list.fresh, ...list.pages.flatMap((page) => page.items)].map(({ id }) => id));
  const added = seen.filter(({ id }) => !known.has(id));
  // An entry can stop matching the filter: if the complete list was loaded, remove the missing entries.
  const oldest = seen.length ? seen[seen.length - 1].id : "g";
  const stays = (item) => byId.has(item.id) || (!complete && item.id < oldest);
  const pages = list.pages.map((page) => ({
    ...page,
    items: page.items.filter(stays).map((item) => byId.get(item.id) ?? item),
  }));
  const fresh = [...added, ...list.fresh.map((item) => byId.get(item.id) ?? item)].slice(0, MOST);
  return hold ? { ...list, pages, fresh, failure: undefined } : { ...list, ...onTop(pages, fresh), failure: undefined };
}
