// Loads data, and reloads it periodically.
import { useCallback, useEffect, useRef, useState } from "./dom.js";

/** @typedef {import("./api.js").Failure} Failure */

/** Milliseconds before the next attempt when the service does not answer. */
const OFFLINE_RETRY = 3_000;

/**
 * Returns the value of `load`, reloaded every `interval` milliseconds while the page is visible. If a reload fails, the
 * last value stays, together with the failure. If the service does not answer, it retries soon, even with `interval` 0.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} dependencies a change of one of these discards the value and loads again
 * @param {{ interval?: number, refetchOn?: unknown }} [how] a change of `refetchOn` loads again and keeps the value
 * @returns {{ value: T | undefined, failure: Failure | undefined, refetch: () => Promise<unknown>,
 *   set: (value: T) => void }}
 */
export function useQuery(load, dependencies, { interval = 0, refetchOn } = {}) {
  const [state, setState] = useState(/** @type {any} */ ({ key: null, value: undefined, failure: undefined }));
  const latest = useRef(load);
  latest.current = load;
  const key = JSON.stringify(dependencies);
  const current = useRef(key);
  current.current = key;
  const reload = useCallback(
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
    const scheduleNext = () => {
      const delay = failure?.kind === "offline" ? Math.min(interval || OFFLINE_RETRY, OFFLINE_RETRY) : interval;
      if (delay && !aborter.signal.aborted) timer = setTimeout(poll, delay);
    };
    const poll = async () => {
      if (!document.hidden) failure = await reload(aborter.signal);
      scheduleNext();
    };
    reload(aborter.signal).then((first) => {
      failure = first;
      scheduleNext();
    });
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [reload, interval]);
  const lastRefetchOn = useRef(refetchOn);
  useEffect(() => {
    if (lastRefetchOn.current !== refetchOn) reload(undefined);
    lastRefetchOn.current = refetchOn;
  }, [refetchOn]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    failure: isCurrent ? state.failure : undefined,
    refetch: useCallback(() => reload(undefined), [reload]),
    set: (value) => setState({ key, value, failure: undefined }),
  };
}

/**
 * Debounces a value: returns it after it has not changed for `millis`.
 * @template T @param {T} value @param {number} millis
 */
export function useDebounced(value, millis) {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return debounced;
}

/** Runs the action of a button; reports whether it is running and its failure. */
export function useAction() {
  const [state, setState] = useState({ busy: false, failure: /** @type {Failure | undefined} */ (undefined) });
  /** @type {<T>(action: () => Promise<T>) => Promise<T | undefined>} */
  const run = useCallback(async (action) => {
    setState({ busy: true, failure: undefined });
    try {
      const value = await action();
      setState({ busy: false, failure: undefined });
      return value;
    } catch (failure) {
      setState({ busy: false, failure: /** @type {Failure} */ (failure) });
      return undefined;
    }
  }, []);
  return { ...state, run };
}
