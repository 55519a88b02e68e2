// Streams of events. A browser opens six connections to one server at a time, for all its tabs together, and a stream holds
// one for as long as it lasts: so only a page that is seen has one, and few have one at a time. The others ask now and then.

/** Streams of all tabs together; the rest of the connections is for questions. */
const PLACES = 3;
const TRY_AGAIN = 3_000;

/** A place among few, if it is free: what gives it back. @param {string} name @returns {Promise<(() => void) | null>} */
const taken = (name) => new Promise((answer) => {
  navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? new Promise((release) => answer(() => release(undefined))) : answer(null)))
    .catch(() => answer(null));
});

async function takePlace() {
  // Without TLS and away from this machine no tab knows of the others: then only those that are seen have one.
  if (!navigator.locks) return () => {};
  for (let place = 0; place < PLACES; place++) {
    const release = await taken(`sallyport-stream-${place}`);
    if (release) return release;
  }
  return null;
}

/**
 * Listens to a stream while the page is seen and there is a place for it.
 *
 * @param {() => string} address asked whenever it is taken up, since it goes on from what is known by then
 * @param {Record<string, (event: MessageEvent) => void>} listeners by name of the event
 * @param {(live: boolean) => void} onChange told whether one hears
 * @returns {() => void} ends it
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
    // One that was closed may have something on its way still.
    const hear = (name, listener) => mine.addEventListener(name, (event) => { if (source === mine) listener(event); });
    hear("open", () => onChange(true));
    Object.entries(listeners).forEach(([name, listener]) => hear(name, listener));
    hear("error", () => {
      // Refused for good: others may have the place, and asking goes on instead.
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
