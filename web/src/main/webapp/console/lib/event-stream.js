// Event streams. A browser opens at most six connections to one server for all tabs, and a stream holds one of them. So
// only visible pages have a stream, and at most PLACES at a time. Other pages poll.

/** Maximum number of streams of all tabs; the other connections are for requests. */
const PLACES = 3;
const TRY_AGAIN = 3_000;

/**
 * Takes the lock of a place if it is free. Returns the function that releases it, or null.
 * @param {string} name @returns {Promise<(() => void) | null>}
 */
const taken = (name) =>
  new Promise((answer) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) =>
        lock ? new Promise((release) => answer(() => release(undefined))) : answer(null),
      )
      .catch(() => answer(null));
  });

async function takePlace() {
  // Without TLS, except on localhost, the browser has no locks across tabs: then each visible page gets a stream.
  if (!navigator.locks) return () => {};
  for (let place = 0; place < PLACES; place++) {
    const release = await taken(`sallyport-stream-${place}`);
    if (release) return release;
  }
  return null;
}

/**
 * Listens to a stream while the page is visible and a place is free.
 *
 * @param {() => string} address called at each connection; the address contains the position to continue from
 * @param {Record<string, (event: MessageEvent) => void>} listeners by event name
 * @param {(live: boolean) => void} onChange called with whether the stream is connected
 * @returns {() => void} closes the stream
 */
export function stream(address, listeners, onChange) {
  /** @type {EventSource | null} */
  let source = null;
  let giveBack = () => {};
  let timer = 0;
  let asking = false;
  let over = false;
  const leave = () => {
    clearTimeout(timer);
    if (!source) return;
    source.close();
    source = null;
    giveBack();
  };
  const begin = async () => {
    if (over || source || asking || document.hidden) return;
    asking = true;
    const place = await takePlace();
    asking = false;
    if (over || document.hidden) {
      place?.();
    } else if (place) {
      giveBack = place;
      open();
    } else {
      timer = setTimeout(begin, TRY_AGAIN);
    }
  };
  const open = () => {
    const mine = new EventSource(address());
    source = mine;
    // A closed source may still deliver a pending event.
    const hear = (name, listener) =>
      mine.addEventListener(name, (event) => {
        if (source === mine) listener(event);
      });
    hear("open", () => onChange(true));
    Object.entries(listeners).forEach(([name, listener]) => hear(name, listener));
    hear("error", () => {
      // The server refused the stream: release the place; the page polls instead.
      if (mine.readyState === EventSource.CLOSED) leave();
      onChange(false);
    });
  };
  const look = () => {
    if (!document.hidden) {
      begin();
    } else if (source) {
      leave();
      onChange(false);
    }
  };
  document.addEventListener("visibilitychange", look);
  begin();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", look);
    leave();
  };
}
