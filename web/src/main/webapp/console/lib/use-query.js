// Loads data, and reloads it periodically.
import { useCallback, useEffect, useRef, useState } from "./dom.js";

/** Milliseconds before the next attempt when the service does not answer. */
const SOON = 3_000;

/**
 * Returns the value of `ask`, reloaded every `every` milliseconds while the page is visible. If a reload fails, the
 * last value stays, together with the failure. If the service does not answer, it retries soon, even with `every` 0.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} ask
 * @param {unknown[]} when a change of one of these discards the value and loads again
 * @param {{ every?: number, more?: unknown }} [how] a change of `more` loads again and keeps the value
 * @returns {{ value: T | undefined, failure: unknown, again: () => Promise<void>, set: (value: T) => void }}
 */
export function useLoad(ask, when, { every = 0, more } = {}) {
  const [state, setState] = useState(/** @type {any} */ ({ key: null, value: undefined, failure: undefined }));
  const latest = useRef(ask);
  latest.current = ask;
  const key = JSON.stringify(when);
  const current = useRef(key);
  current.current = key;
  const again = useCallback(
    async (signal) => {
      try {
        const value = await latest.current(signal);
        if (!signal?.aborted && current.current === key) setState({ key, value, failure: undefined });
      } catch (failure) {
        if (signal?.aborted || current.current !== key) return undefined;
        setState((old) => ({ key, value: old.key === key ? old.value : undefined, failure }));
        return failure;
      }
      return undefined;
    },
    [key],
  );
  useEffect(() => {
    const aborter = new AbortController();
    let timer = 0;
    let failure;
    const wait = () => {
      const pause = failure?.kind === "offline" ? Math.min(every || SOON, SOON) : every;
      if (pause && !aborter.signal.aborted) timer = setTimeout(round, pause);
    };
    const round = async () => {
      if (!document.hidden) failure = await again(aborter.signal);
      wait();
    };
    again(aborter.signal).then((first) => {
      failure = first;
      wait();
    });
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [again, every]);
  const asked = useRef(more);
  useEffect(() => {
    if (asked.current !== more) again(undefined);
    asked.current = more;
  }, [more]);
  const mine = state.key === key;
  return {
    value: mine ? state.value : undefined,
    failure: mine ? state.failure : undefined,
    again: useCallback(() => again(undefined), [again]),
    set: (value) => setState({ key, value, failure: undefined }),
  };
}

/**
 * Debounces a value: returns it after it has not changed for `millis`.
 * @template T @param {T} value @param {number} millis
 */
export function useSettled(value, millis) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return settled;
}

/** Runs the action of a button; reports whether it is running and its failure. */
export function useAction() {
  const [state, setState] = useState({ busy: false, failure: /** @type {unknown} */ (undefined) });
  const run = useCallback(async (work) => {
    setState({ busy: true, failure: undefined });
    try {
      const value = await work();
      setState({ busy: false, failure: undefined });
      return value;
    } catch (failure) {
      setState({ busy: false, failure });
      return undefined;
    }
  }, []);
  return { ...state, run };
}
