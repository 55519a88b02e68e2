// Symbol.dispose and Symbol.asyncDispose, DisposableStack, AsyncDisposableStack, SuppressedError, and the resources of
// `using` declarations, which the parser rewrites to calls of `open`. Loaded on first use.
(function (kit) {
  "use strict";
  const { apply, definesProperty, freeze, getPrototypeOf, indexOf, slice } = kit;
  const { ErrorOf, ReferenceErrorOf, StringOf, SymbolOf, TypeErrorOf } = kit;
  const dispose = SymbolOf("Symbol.dispose");
  const asyncDispose = SymbolOf("Symbol.asyncDispose");

  function member(target, name, value) {
    definesProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  }

  // ---- errors ------------------------------------------------------------------------------------------------------

  class SuppressedError extends ErrorOf {
    constructor(error, suppressed, message) {
      super(message === undefined ? "" : StringOf(message));
      member(this, "error", error);
      member(this, "suppressed", suppressed);
      const stack = new ErrorOf().stack;
      const head = "SuppressedError" + (this.message === "" ? "" : ": " + this.message);
      member(this, "stack", head + framesOf(stack));
    }
  }
  member(SuppressedError.prototype, "name", "SuppressedError");

  function framesOf(stack) {
    const frames = typeof stack === "string" ? apply(indexOf, stack, ["\n    at "]) : -1;
    return frames < 0 ? "" : apply(slice, stack, [frames]);
  }

  function textOf(problem) {
    try {
      return StringOf(problem);
    } catch {
      return "a value without text";
    }
  }

  // Returns the error for a resource that could not be closed after another error.
  function suppress(problem, earlier) {
    const message =
      "An error was suppressed during disposal: " + textOf(problem) + " (suppressed: " + textOf(earlier) + ")";
    const error = new SuppressedError(problem, earlier, message);
    try {
      // The place of the failure says more than the end of the block.
      if (framesOf(problem.stack) !== "")
        member(error, "stack", "SuppressedError: " + message + framesOf(problem.stack));
    } catch {
      // The thrown value has no stack.
    }
    return error;
  }

  // ---- lists of resources ------------------------------------------------------------------------------------------

  function methodOf(value, name) {
    const method = value[name];
    if (method === undefined || method === null) return undefined;
    if (typeof method !== "function") throw new TypeErrorOf("The member [" + name.description + "] is not a function");
    return method;
  }

  function checkObject(value, names) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      throw new TypeErrorOf("A resource must be null, undefined, or an object with a method " + names);
    }
  }

  function append(entries, entry) {
    definesProperty(entries, entries.length, {
      __proto__: null,
      value: entry,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  function addTo(entries, value) {
    if (value === null || value === undefined) return;
    checkObject(value, "[Symbol.dispose]");
    const method = methodOf(value, dispose);
    if (method === undefined) throw new TypeErrorOf("The resource has no method [Symbol.dispose]");
    append(entries, { __proto__: null, value, method, waits: false, ignoresResult: false });
  }

  function addAsyncTo(entries, value) {
    if (value === null || value === undefined) {
      append(entries, { __proto__: null, value, method: undefined, waits: true, ignoresResult: true });
      return;
    }
    checkObject(value, "[Symbol.asyncDispose] or [Symbol.dispose]");
    const method = methodOf(value, asyncDispose);
    const other = method === undefined ? methodOf(value, dispose) : undefined;
    if (method === undefined && other === undefined) {
      throw new TypeErrorOf("The resource has neither a method [Symbol.asyncDispose] nor [Symbol.dispose]");
    }
    append(entries, {
      __proto__: null,
      value,
      method: method ?? other,
      waits: true,
      ignoresResult: method === undefined,
    });
  }

  // Closes the resources, the last one first. Throws `error` if `failed`, together with what a resource throws.
  function close(entries, failed, error) {
    let threw = failed;
    let problem = error;
    for (let i = entries.length - 1; i >= 0; i--) {
      try {
        apply(entries[i].method, entries[i].value, []);
      } catch (next) {
        problem = threw ? suppress(next, problem) : next;
        threw = true;
      }
    }
    if (threw) throw problem;
  }

  async function closeAsync(entries, failed, error) {
    let threw = failed;
    let problem = error;
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i];
      try {
        const result = entry.method === undefined ? undefined : apply(entry.method, entry.value, []);
        if (entry.waits) await (entry.ignoresResult ? undefined : result);
      } catch (next) {
        problem = threw ? suppress(next, problem) : next;
        threw = true;
      }
    }
    if (threw) throw problem;
  }

  // Returns the list of the resources of one block.
  function open() {
    const entries = [];
    let failed = false;
    let error;
    return freeze({
      __proto__: null,
      add(value) {
        addTo(entries, value);
        return value;
      },
      addAsync(value) {
        addAsyncTo(entries, value);
        return value;
      },
      fail(problem) {
        failed = true;
        error = problem;
      },
      close: () => close(entries, failed, error),
      closeAsync: () => closeAsync(entries, failed, error),
    });
  }

  // ---- stacks ------------------------------------------------------------------------------------------------------

  function checkFunction(value) {
    if (typeof value !== "function") throw new TypeErrorOf("The second argument must be a function");
  }

  class DisposableStack {
    #entries = [];
    #disposed = false;

    #open() {
      if (this.#disposed) throw new ReferenceErrorOf("The DisposableStack is already disposed");
      return this.#entries;
    }
    get disposed() {
      return this.#disposed;
    }
    dispose() {
      if (this.#disposed) return;
      this.#disposed = true;
      close(this.#entries, false, undefined);
    }
    use(value) {
      addTo(this.#open(), value);
      return value;
    }
    adopt(value, onDispose) {
      const entries = this.#open();
      checkFunction(onDispose);
      append(entries, { __proto__: null, value: undefined, method: () => onDispose(value), waits: false });
      return value;
    }
    defer(onDispose) {
      const entries = this.#open();
      if (typeof onDispose !== "function") throw new TypeErrorOf("defer takes a function");
      append(entries, { __proto__: null, value: undefined, method: () => onDispose(), waits: false });
    }
    move() {
      const moved = new DisposableStack();
      moved.#entries = this.#open();
      this.#entries = [];
      this.#disposed = true;
      return moved;
    }
  }
  member(DisposableStack.prototype, dispose, DisposableStack.prototype.dispose);

  class AsyncDisposableStack {
    #entries = [];
    #disposed = false;

    #open() {
      if (this.#disposed) throw new ReferenceErrorOf("The AsyncDisposableStack is already disposed");
      return this.#entries;
    }
    get disposed() {
      return this.#disposed;
    }
    async disposeAsync() {
      if (this.#disposed) return;
      this.#disposed = true;
      await closeAsync(this.#entries, false, undefined);
    }
    use(value) {
      addAsyncTo(this.#open(), value);
      return value;
    }
    adopt(value, onDispose) {
      const entries = this.#open();
      checkFunction(onDispose);
      append(entries, { __proto__: null, value: undefined, method: () => onDispose(value), waits: true });
      return value;
    }
    defer(onDispose) {
      const entries = this.#open();
      if (typeof onDispose !== "function") throw new TypeErrorOf("defer takes a function");
      append(entries, { __proto__: null, value: undefined, method: () => onDispose(), waits: true });
    }
    move() {
      const moved = new AsyncDisposableStack();
      moved.#entries = this.#open();
      this.#entries = [];
      this.#disposed = true;
      return moved;
    }
  }
  member(AsyncDisposableStack.prototype, asyncDispose, AsyncDisposableStack.prototype.disposeAsync);

  function tag(type, text) {
    definesProperty(type.prototype, SymbolOf.toStringTag, { __proto__: null, value: text, configurable: true });
  }
  tag(DisposableStack, "DisposableStack");
  tag(AsyncDisposableStack, "AsyncDisposableStack");

  // ---- iterators are resources -------------------------------------------------------------------------------------

  const generator = function* () {};
  const iterators = getPrototypeOf(getPrototypeOf(generator.prototype));
  member(iterators, dispose, function () {
    const end = this.return;
    if (end !== undefined && end !== null) apply(end, this, []);
  });
  const asyncGenerator = async function* () {};
  const asyncIterators = getPrototypeOf(getPrototypeOf(asyncGenerator.prototype));
  member(asyncIterators, asyncDispose, async function () {
    const end = this.return;
    if (end !== undefined && end !== null) await apply(end, this, []);
  });

  return { dispose, asyncDispose, open, SuppressedError, DisposableStack, AsyncDisposableStack };
});
