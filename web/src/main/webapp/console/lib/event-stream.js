// Event streams. A browser opens at most six connections to one server for all tabs, and a stream holds one of them. So
// only visible pages have a stream, and at most MAX_STREAMS at a time. Other pages poll.

/** Maximum number of streams of all tabs; the other connections are for requests. */
const MAX_STREAMS = 3;
const RETRY_DELAY = 3_000;

/**
 * Takes the lock of a slot if it is free. Returns the function that releases it, or null.
 * @param {string} name @returns {Promise<(() => void) | null>}
 */
const tryLock = (name) =>
  new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise((release) => resolve(() => release(undefined))) : resolve(null),
      )
      .catch(() => resolve(null));
  });

async function acquireSlot() {
  // Without TLS, except on localhost, the browser has no locks across tabs: then each visible page gets a stream.
  if (!navigator.locks) return () => {};
  for (let slot = 0; slot < MAX_STREAMS; slot++) {
    const release = await tryLock(`sallyport-stream-${slot}`);
    if (release) return release;
  }
  return null;
}

/**
 * Listens to a stream while the page is visible and a slot is free.
 *
 * @param {() => string} address called at each connection; the address contains the position to continue from
 * @param {Record<string, (event: MessageEvent) => void>} listeners by event name
 * @param {(live: boolean) => void} onChange called with whether the stream is connected
 * @returns {() => void} closes the stream
 */
export function openEventStream(address, listeners, onChange) {
  /** @type {EventSource | null} */
  let source = null;
  let releaseSlot = () => {};
  let timer = 0;
  let acquiring = false;
  let closed = false;
  const disconnect = () => {
    clearTimeout(timer);
    if (!source) return;
    source.close();
    source = null;
    releaseSlot();
  };
  const connect = async () => {
    if (closed || source || acquiring || document.hidden) return;
    acquiring = true;
    const release = await acquireSlot();
    acquiring = false;
    if (closed || document.hidden) {
      release?.();
    } else if (release) {
      releaseSlot = release;
      open();
    } else {
      timer = setTimeout(connect, RETRY_DELAY);
    }
  };
  const open = () => {
    const eventSource = new EventSource(address());
    source = eventSource;
    // A closed source may still deliver a pending event.
    const listen = (name, listener) =>
      eventSource.addEventListener(name, (event) => {
        if (source === eventSource) listener(event);
      });
    listen("open", () => onChange(true));
    Object.entries(listeners).forEach(([name, listener]) => listen(name, listener));
    listen("error", () => {
      // The server refused the stream: release the slot; the page polls instead.
      if (eventSource.readyState === EventSource.CLOSED) disconnect();
      onChange(false);
    });
  };
  const onVisibilityChange = () => {
    if (!document.hidden) {
      connect();
    } else if (source) {
      disconnect();
      onChange(false);
    }
  };
  document.addEventListener("visibilitychange", onVisibilityChange);
  connect();
  return () => {
    closed = true;
    document.removeEventListener("visibilitychange", onVisibilityChange);
    disconnect();
  };
}
