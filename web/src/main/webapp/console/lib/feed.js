// A long list, newest first: pages are taken in order when they are needed, and what is new is put on top.
import { get, query } from "./api.js";
import { useCallback, useEffect, useRef, useState } from "./dom.js";
import { TERMINAL } from "./states.js";

const PAGE = 100;
const EVERY = 2_000;
const CATCH_UP = 5;

/**
 * @param {string} path of the list
 * @param {Record<string, string | undefined>} filter
 * @param {() => boolean} hold whether new entries wait until somebody asks for them
 */
export function useFeed(path, filter, hold) {
  const key = JSON.stringify([path, filter]);
  const [list, setList] = useState({ key, items: [], next: undefined, fresh: [], failure: undefined, busy: true });
  const now = useRef(list);
  const held = useRef(hold);
  held.current = hold;
  const change = useCallback((next) => { now.current = next; setList(next); }, []);

  const begin = useCallback(async () => {
    const empty = { key, items: [], next: undefined, fresh: [], failure: undefined, busy: true };
    change(now.current.key === key ? { ...now.current, busy: true, failure: undefined } : empty);
    try {
      const page = await get(path + query({ ...filter, limit: PAGE }));
      if (now.current.key === key) change({ key, items: page.items, next: page.next, fresh: [], failure: undefined, busy: false });
    } catch (failure) {
      if (now.current.key === key) change({ ...now.current, failure, busy: false });
    }
  }, [key]);

  const more = useCallback(async () => {
    const before = now.current;
    if (before.busy || !before.next || before.key !== key) return;
    change({ ...before, busy: true });
    try {
      const page = await get(path + query({ ...filter, limit: PAGE, cursor: before.next }));
      const list = now.current;
      if (list.key === key) change({ ...list, items: [...list.items, ...page.items], next: page.next, busy: false, failure: undefined });
    } catch (failure) {
      if (now.current.key === key) change({ ...now.current, failure, busy: false });
    }
  }, [key]);

  const show = useCallback(() => {
    const list = now.current;
    change({ ...list, items: [...list.fresh, ...list.items], fresh: [] });
  }, []);

  useEffect(() => {
    let gone = false;
    let timer = 0;
    const round = async () => {
      if (!document.hidden && now.current.next !== undefined) {
        try {
          const renewed = await renew(path, filter, now.current);
          if (gone || now.current.key !== key) return;
          if (renewed === null) await begin();
          else change(merge(now.current, renewed, held.current()));
        } catch (failure) {
          if (!gone && now.current.key === key) change({ ...now.current, failure });
        }
      }
      if (!gone) timer = setTimeout(round, EVERY);
    };
    begin().then(() => { if (!gone) timer = setTimeout(round, EVERY); });
    return () => { gone = true; clearTimeout(timer); };
  }, [key]);

  return { ...(list.key === key ? list : { items: [], fresh: [], next: undefined, failure: undefined, busy: true }), more, show, again: begin };
}

/** The newest entries back to the first that is known, and what became of others that had not ended; null when too much is new. */
async function renew(path, filter, list) {
  const known = new Set([...list.fresh, ...list.items].map(({ id }) => id));
  const seen = [];
  let cursor;
  for (let page = 0; page < CATCH_UP; page++) {
    const answer = await get(path + query({ ...filter, limit: PAGE, cursor }));
    seen.push(...answer.items);
    cursor = answer.next;
    if (!cursor || !known.size || answer.items.some(({ id }) => known.has(id))) break;
    if (page === CATCH_UP - 1) return null;
  }
  const looked = new Set(seen.map(({ id }) => id));
  const open = list.items.filter(({ id, state }) => state && !TERMINAL.has(state) && !looked.has(id)).slice(0, 20);
  const others = await Promise.all(open.map(({ id }) => get(`${path}/${id}`).catch(() => null)));
  return { seen, others: others.filter(Boolean), complete: !cursor };
}

function merge(list, { seen, others, complete }, hold) {
  const byId = new Map([...seen, ...others].map((item) => [item.id, item]));
  const known = new Set([...list.fresh, ...list.items].map(({ id }) => id));
  const added = seen.filter(({ id }) => !known.has(id));
  // A filtered list loses what no longer fits it: where all of a list is seen, what is missing is gone.
  const oldest = seen.length ? seen[seen.length - 1].id : "";
  const stays = (item) => byId.has(item.id) || (!complete && item.id < oldest);
  const items = list.items.filter(stays).map((item) => byId.get(item.id) ?? item);
  const fresh = [...added, ...list.fresh.map((item) => byId.get(item.id) ?? item)];
  return hold ? { ...list, items, fresh, failure: undefined } : { ...list, items: [...fresh, ...items], fresh: [], failure: undefined };
}
