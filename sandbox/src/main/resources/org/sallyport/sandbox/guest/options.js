// The options of a tool call, its second argument. Loaded on first use.
(function (kit) {
  "use strict";
  const { withdraw, schedule, cancelTimer, millisOf, toolError, TypeErrorOf } = kit;

  function read(options) {
    if (typeof options !== "object" || Array.isArray(options)) {
      throw new TypeErrorOf("The second argument of a tool must be an object with the options timeout and signal");
    }
    for (const name of Object.keys(options)) {
      if (name !== "timeout" && name !== "signal") {
        throw new TypeErrorOf(
          "A tool has the options timeout and signal, and no option '" +
            name.slice(0, 100) +
            "': its arguments are one object, the first argument",
        );
      }
    }
    const timeout = options.timeout ?? undefined;
    const signal = options.signal ?? undefined;
    if (signal !== undefined && !(signal instanceof kit.part("web").AbortSignal)) {
      throw new TypeErrorOf("The option signal must be an AbortSignal");
    }
    const millis = timeout === undefined ? undefined : Math.round(millisOf(timeout, "timeout"));
    if (millis < 1)
      throw new TypeErrorOf("The option timeout must be at least 1 millisecond; leave it out for no timeout");
    return { timeout: millis, signal };
  }

  // Applies the options to a call that has not been made. Returns whether it shall be made.
  function accept(call, more) {
    // A method of a list that was given the tool itself passes an index, or a key and the list.
    if (more[0] === undefined || more[0] === null || typeof more[0] === "number") return true;
    if (more[1] instanceof Map || more[1] instanceof Set) return true;
    const { timeout, signal } = read(more[0]);
    const { resolve, reject } = call;
    let timer;
    const abort = () => {
      withdraw(call);
      call.reject(signal.reason);
    };
    const finish = () => {
      if (timer !== undefined) cancelTimer(timer);
      signal?.removeEventListener("abort", abort);
    };
    call.resolve = (value) => {
      finish();
      resolve(value);
    };
    call.reject = (problem) => {
      finish();
      reject(problem);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return false;
    }
    if (timeout !== undefined) timer = schedule(() => expire(call, timeout), timeout, false);
    signal?.addEventListener("abort", abort, { once: true });
    return true;
  }

  function expire(call, timeout) {
    const waited = call.waits;
    withdraw(call);
    const start = call.backend + "." + call.tool + (waited ? " waited " : " did not answer within ") + timeout + " ms";
    const problem = waited
      ? toolError(call, "timeout", start + " for other calls and was not made", true, null)
      : toolError(call, "outcome-unknown", start + ". It may go on", false, null);
    call.reject(problem);
  }

  return { accept };
});
