// Event, EventTarget, AbortController and DOMException. Loaded on first use.
(function (kit) {
  "use strict";
  const { schedule, millisOf, tell, TypeErrorOf } = kit;
  const CODES = {
    IndexSizeError: 1,
    NotFoundError: 8,
    NotSupportedError: 9,
    InvalidStateError: 11,
    SyntaxError: 12,
    InvalidAccessError: 15,
    TypeMismatchError: 17,
    AbortError: 20,
    QuotaExceededError: 22,
    TimeoutError: 23,
    InvalidCharacterError: 5,
    DataCloneError: 25,
  };

  class DOMException extends Error {
    #name;
    constructor(message = "", name = "Error") {
      super(String(message));
      this.#name = String(typeof name === "object" && name !== null ? (name.name ?? "Error") : name);
      if (typeof name === "object" && name !== null && "cause" in name) this.cause = name.cause;
      const stack = new kit.ErrorOf().stack;
      const head = this.#name + ": " + message;
      Object.defineProperty(this, "stack", {
        value: stack.includes("\n") ? head + stack.slice(stack.indexOf("\n")) : head,
        writable: true,
        configurable: true,
      });
    }
    get name() {
      return this.#name;
    }
    get code() {
      return CODES[this.#name] ?? 0;
    }
    get [Symbol.toStringTag]() {
      return "DOMException";
    }
  }

  class Event {
    #type;
    #cancelable;
    #bubbles;
    #prevented = false;
    stopped = false;
    constructor(type, { bubbles = false, cancelable = false } = {}) {
      if (arguments.length === 0) throw new TypeErrorOf('The "type" argument must be specified');
      this.#type = String(type);
      this.#bubbles = Boolean(bubbles);
      this.#cancelable = Boolean(cancelable);
      Object.defineProperty(this, "stopped", { value: false, writable: true, enumerable: false });
      for (const name of ["target", "currentTarget"]) {
        Object.defineProperty(this, name, { value: null, writable: true, configurable: true, enumerable: false });
      }
      Object.defineProperty(this, "timeStamp", { value: performance.now(), enumerable: false });
    }
    get type() {
      return this.#type;
    }
    get bubbles() {
      return this.#bubbles;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    preventDefault() {
      if (this.#cancelable) this.#prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.stopped = true;
    }
    get [Symbol.toStringTag]() {
      return "Event";
    }
  }

  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options = {}) {
      if (listener === null || listener === undefined) return;
      const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
      if (signal?.aborted) return;
      const list = this.#listeners.get(String(type)) ?? [];
      if (list.some((each) => each.listener === listener)) return;
      this.#listeners.set(String(type), [...list, { listener, once }]);
      signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
    }
    removeEventListener(type, listener) {
      const list = this.#listeners.get(String(type)) ?? [];
      this.#listeners.set(
        String(type),
        list.filter((each) => each.listener !== listener),
      );
    }
    dispatchEvent(event) {
      if (!(event instanceof Event)) throw new TypeErrorOf('The "event" argument must be an instance of Event');
      event.target = event.currentTarget = this;
      const handler = this["on" + event.type];
      const list = this.#listeners.get(event.type) ?? [];
      const all = typeof handler === "function" ? [{ listener: handler, once: false }, ...list] : list;
      for (const { listener, once } of all) {
        if (once) this.removeEventListener(event.type, listener);
        try {
          if (typeof listener === "function") listener.call(this, event);
          else listener.handleEvent(event);
        } catch (problem) {
          tell(problem);
        }
        if (event.stopped) break;
      }
      return !event.defaultPrevented;
    }
    get [Symbol.toStringTag]() {
      return "EventTarget";
    }
  }

  const secret = Symbol("secret");

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #followers = [];
    constructor(key) {
      if (key !== secret) throw new TypeErrorOf("Illegal constructor");
      super();
      Object.defineProperty(this, "onabort", { value: null, writable: true, enumerable: false });
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    static abortNow(signal, reason) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
      signal.dispatchEvent(new Event("abort"));
      for (const follower of signal.#followers.splice(0)) abortNow(follower, signal.#reason);
    }
    static abort(reason) {
      const signal = new AbortSignal(secret);
      abortNow(signal, reason);
      return signal;
    }
    static timeout(time) {
      const signal = new AbortSignal(secret);
      // Made here, so that an uncaught one has the line of the script.
      const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
      schedule(() => abortNow(signal, reason), millisOf(time, "AbortSignal.timeout"), false);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(secret);
      for (const source of [...signals]) {
        if (source.#aborted) {
          signal.#aborted = true;
          signal.#reason = source.#reason;
          return signal;
        }
      }
      for (const source of signals) source.#followers.push(signal);
      return signal;
    }
    get [Symbol.toStringTag]() {
      return "AbortSignal";
    }
  }
  const abortNow = AbortSignal.abortNow;
  delete AbortSignal.abortNow;

  class AbortController {
    #signal = new AbortSignal(secret);
    get signal() {
      return this.#signal;
    }
    abort(reason) {
      abortNow(this.#signal, reason);
    }
    get [Symbol.toStringTag]() {
      return "AbortController";
    }
  }

  return { DOMException, Event, EventTarget, AbortSignal, AbortController };
});
