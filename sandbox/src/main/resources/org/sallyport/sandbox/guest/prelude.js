// Runs first in every context and builds all globals of a script. It captures the functions of the language that it
// needs before the script runs, so a script that overwrites them cannot change the bridge.
// For the same reason the bridge's code below uses no iteration protocol, no spread and no method of a prototype.
(function (bridge) {
  "use strict";

  const { apply, construct, ownKeys, defineProperty: definesProperty } = Reflect;
  const { defineProperty, freeze, keys: keysOf, getPrototypeOf, prototype: ObjectPrototype } = Object;
  const { parse, stringify } = JSON;
  const hasOwn = Object.hasOwn;
  const isArray = Array.isArray;
  const ArrayPrototype = Array.prototype;
  const tagOf = ObjectPrototype.toString;
  const PromiseOf = Promise;
  const ErrorOf = Error;
  const AggregateErrorOf = AggregateError;
  const TypeErrorOf = TypeError;
  const RangeErrorOf = RangeError;
  const ReferenceErrorOf = ReferenceError;
  const SymbolOf = Symbol;
  const ProxyOf = Proxy;
  const StringOf = String;
  const NumberOf = Number;
  const indexOf = String.prototype.indexOf;
  const slice = String.prototype.slice;
  const exec = RegExp.prototype.exec;
  const valueOfNumber = Number.prototype.valueOf;
  const valueOfString = String.prototype.valueOf;
  const valueOfBoolean = Boolean.prototype.valueOf;
  const valueOfBigInt = BigInt.prototype.valueOf;
  const charCodeAt = String.prototype.charCodeAt;
  const WeakMapOf = WeakMap;
  const MapSet = WeakMap.prototype.set;
  const MapGet = WeakMap.prototype.get;
  const global = globalThis;

  let limits = { __proto__: null, backends: { __proto__: null }, identifiers: [] };

  function host(what, a, b, c, d, e, f) {
    const answer = bridge(what, a, b, c, d, e, f);
    if (answer === false) throw construct(ErrorOf, ["the sandbox failed (" + what + ")"]);
    return answer;
  }

  // ---- removed globals ---------------------------------------------------------------------------------------------

  const removed = [
    "load",
    "loadWithNewGlobal",
    "print",
    "printErr",
    "quit",
    "exit",
    "read",
    "readline",
    "readbuffer",
    "Graal",
    "Polyglot",
    "Java",
    "Packages",
    "java",
    "SharedArrayBuffer",
    "WebAssembly",
    "WeakRef",
    "FinalizationRegistry",
    "ShadowRealm",
    "arguments",
    "console",
  ];
  for (let i = 0; i < removed.length; i++) delete global[removed[i]];
  if (typeof Atomics === "object") {
    delete Atomics.wait;
    delete Atomics.waitAsync;
    delete Atomics.notify;
  }

  // Returns a descriptor without a prototype, so that it inherits no member that a script adds to Object.prototype.
  function data(value, fixed) {
    return { __proto__: null, value, writable: !fixed, configurable: !fixed, enumerable: false };
  }

  function put(target, name, value) {
    defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  }

  function show(name, value) {
    defineProperty(global, name, data(value, false));
  }

  // Defines a global whose value is created on first use. Unless it is fixed, a script can assign to it. Every context
  // has many of these globals, so each holds at most two functions.
  function lazily(name, from, fixed) {
    defineProperty(global, name, {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get: () => made(name, from, fixed),
      set: fixed ? undefined : (other) => show(name, other),
    });
  }

  function made(name, from, fixed) {
    const value = from === "backend" ? knownBackend(name) : from === "input" ? input(name) : part(from)[name];
    // Reflect.defineProperty does not throw: if the script has frozen the global object, the getter stays.
    definesProperty(global, name, data(value, fixed));
    return value;
  }

  // ---- parts that few scripts need, loaded from the host on first use ----------------------------------------------

  const parts = { __proto__: null };
  let kit;
  function part(name) {
    return parts[name] ?? (parts[name] = host("part", name)(kit));
  }

  // ---- errors ------------------------------------------------------------------------------------------------------

  class ToolError extends Error {
    constructor(
      message,
      { backend, tool, code = "tool-failed", retryable = false, details = null } = { __proto__: null },
    ) {
      super(message);
      put(this, "backend", backend);
      put(this, "tool", tool);
      put(this, "code", code);
      put(this, "retryable", retryable);
      put(this, "details", details);
    }
  }
  class ToolOutcomeUnknownError extends ToolError {}
  class PermissionDenied extends Error {}
  class ModuleNotAllowedError extends PermissionDenied {}
  class LimitError extends Error {}
  function named(type, name) {
    defineProperty(type.prototype, "name", data(name, false));
    show(name, type);
  }
  named(ToolError, "ToolError");
  named(ToolOutcomeUnknownError, "ToolOutcomeUnknownError");
  named(PermissionDenied, "PermissionDenied");
  named(ModuleNotAllowedError, "ModuleNotAllowedError");
  named(LimitError, "LimitError");

  // The call and the code of each error that the bridge creates. A script could change properties of the error.
  const origins = new WeakMap();

  function toolError(call, code, message, retryable, details) {
    const type = code === "outcome-unknown" ? ToolOutcomeUnknownError : ToolError;
    const error = construct(type, [
      message,
      { __proto__: null, backend: call.backend, tool: call.tool, code, retryable, details },
    ]);
    placed(error, call.site);
    const origin = { __proto__: null, backend: call.backend, tool: call.tool, ordinal: call.ordinal, code };
    apply(MapSet, origins, [error, origin]);
    return error;
  }

  // The engine sets no frames on errors of the classes above. They get those of `site`, an Error created at the call.
  function placed(error, site) {
    let head = "";
    let stack = "";
    try {
      head = error.name + (error.message === "" ? "" : ": " + error.message);
      stack = site.stack;
    } catch {
      // A getter of the script threw: the error has no frames.
    }
    const frames = typeof stack === "string" ? apply(indexOf, stack, ["\n"]) : -1;
    defineProperty(error, "stack", data(frames < 0 ? head : head + apply(slice, stack, [frames]), false));
    return error;
  }

  // Returns an error with a code. If the script does not catch the error, its code becomes that of the execution.
  function refusal(type, message, code) {
    const error = placed(construct(type, [message]), new ErrorOf());
    if (code !== undefined) {
      put(error, "code", code);
      apply(MapSet, origins, [error, { __proto__: null, code }]);
    }
    return error;
  }

  // Returns the error for a refusal of the host. Its format is "!", a code, a space and the message.
  function refused(answer) {
    const blank = apply(indexOf, answer, [" "]);
    const code = apply(slice, answer, [1, blank]);
    const type = apply(indexOf, code, ["module"]) === 0 ? ModuleNotAllowedError : LimitError;
    return refusal(type, apply(slice, answer, [blank + 1]), code);
  }

  // Counts the use of something that scripts do not have. The host reports the counts when the session ends.
  function blocked(kind, name) {
    if (!withoutCalls) host("blocked", kind, apply(slice, name, [0, 200]));
  }

  // ---- values passed to the host -----------------------------------------------------------------------------------

  const MAX_DEPTH = 64;
  const MAX_BIGINT_LENGTH = 1000;
  const tooLarge = freeze({ __proto__: null, tooLarge: true });

  // Returns the JSON text of a value. Throws a TypeError with the path of a value that JSON cannot represent, and
  // `tooLarge` if the text is longer than `limit`.
  function encode(root, start, limit) {
    const ancestors = [];
    let size = 0;

    function bounded(text) {
      size += text.length;
      if (size > limit) throw tooLarge;
      return text;
    }

    function refuse(path, what) {
      throw construct(TypeErrorOf, [path + " " + what]);
    }

    function write(path, key, given, depth) {
      let value = given;
      if (typeof value === "object" && value !== null) {
        const convert = conversionOf(value);
        if (convert !== undefined) {
          value = apply(convert, value, [key]);
          if (value === null && apply(tagOf, given, []) === "[object Date]") refuse(path, "is an invalid date");
        }
      }
      switch (typeof value) {
        case "string":
          // Checked before stringify, whose result may need more memory than is available.
          if (value.length > limit - size) throw tooLarge;
          return bounded(stringify(value));
        case "number":
          if (value !== value || value === Infinity || value === -Infinity)
            refuse(path, "is " + value + ", which JSON cannot carry");
          return bounded("" + value);
        case "boolean":
          return bounded(value ? "true" : "false");
        case "undefined":
          return undefined;
        case "bigint":
          return bounded(digits(path, value));
        case "function":
          return refuse(path, "is a function, which JSON cannot carry");
        case "symbol":
          return refuse(path, "is a symbol, which JSON cannot carry");
      }
      if (value === null) return bounded("null");
      return structure(path, value, depth);
    }

    // Tools take whole numbers of any size. In a result, a script would read the number back as another one.
    function digits(path, value) {
      if (root !== "arguments") refuse(path, "is a BigInt, which JSON cannot carry (use String(…))");
      const text = "" + value;
      if (text.length - (value < 0n ? 1 : 0) > MAX_BIGINT_LENGTH) {
        refuse(path, "is a BigInt of more than " + MAX_BIGINT_LENGTH + " digits");
      }
      return text;
    }

    function structure(path, value, depth) {
      for (let i = 0; i < depth; i++) if (ancestors[i] === value) refuse(path, "is a cycle");
      if (depth >= MAX_DEPTH) refuse(path, "is nested deeper than " + MAX_DEPTH + " levels");
      put(ancestors, depth, value);
      let text;
      if (isArray(value)) text = list(path, value, depth);
      else {
        const prototype = getPrototypeOf(value);
        const special = prototype === ObjectPrototype || prototype === null ? undefined : unusual(path, value, depth);
        text = special ?? members(path, value, depth, false);
      }
      ancestors[depth] = undefined;
      return text;
    }

    function list(path, value, depth) {
      const length = value.length;
      bounded("[]");
      let text = "[";
      for (let i = 0; i < length; i++) {
        const item = write(path + "[" + i + "]", "" + i, value[i], depth + 1) ?? bounded("null");
        text += i === 0 ? item : bounded(",") + item;
      }
      return text + "]";
    }

    // Without the name and the message of an error, which `error` writes: no name occurs twice in the object.
    function members(path, value, depth, isError) {
      const names = keysOf(value);
      bounded("{}");
      let text = "{";
      let first = true;
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (isError && (name === "name" || name === "message")) continue;
        const item = write(path + "." + name, name, value[name], depth + 1);
        if (item === undefined) continue;
        text += (first ? "" : bounded(",")) + bounded(stringify(name)) + bounded(":") + item;
        first = false;
      }
      return text + "}";
    }

    function unusual(path, value, depth) {
      const tag = apply(tagOf, value, []);
      switch (tag) {
        case "[object Number]":
          return write(path, "", apply(valueOfNumber, value, []), depth);
        case "[object String]":
          return write(path, "", apply(valueOfString, value, []), depth);
        case "[object Boolean]":
          return write(path, "", apply(valueOfBoolean, value, []), depth);
        case "[object BigInt]":
          return write(path, "", apply(valueOfBigInt, value, []), depth);
        case "[object Promise]":
          return refuse(path, "is a promise (is an await missing?)");
        case "[object Map]":
          return refuse(path, "is a Map (use Object.fromEntries(…))");
        case "[object Set]":
          return refuse(path, "is a Set (use Array.from(…))");
        case "[object Generator]":
          return refuse(path, "is a generator (use Array.from(…))");
        case "[object Error]":
          return error(path, value, depth);
      }
      const bytes = part("extras").bytesOf(value);
      if (bytes === undefined) return undefined;
      return write(path, "", { __proto__: null, $base64: bytes.base64, type: bytes.type }, depth);
    }

    function error(path, value, depth) {
      const own = members(path, value, depth, true);
      const head = '{"name":' + stringify(StringOf(value.name)) + ',"message":' + stringify(StringOf(value.message));
      return bounded(head) + (own === "{}" ? "}" : "," + apply(slice, own, [1]));
    }

    const text = write(root, "", start, 0);
    if (text !== undefined && text.length > limit) throw tooLarge;
    return text;
  }

  // Returns the toJSON of the value or of its class, but never one that was added to Object.prototype or
  // Array.prototype.
  function conversionOf(value) {
    const prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype || prototype === ArrayPrototype || prototype === null) {
      if (!hasOwn(value, "toJSON")) return undefined;
    }
    const convert = value.toJSON;
    return typeof convert === "function" && convert !== ObjectPrototype.toJSON ? convert : undefined;
  }

  // Freezes a value deeply. Not recursive, because data may be nested deeper than the call stack allows.
  function frozen(value) {
    const left = [value];
    for (let count = 1; count > 0;) {
      const next = left[--count];
      if (typeof next !== "object" || next === null) continue;
      const names = ownKeys(next);
      for (let i = 0; i < names.length; i++) put(left, count++, next[names[i]]);
      freeze(next);
    }
    return value;
  }

  // ---- tool calls --------------------------------------------------------------------------------------------------

  const open = { __proto__: null };

  // Calls that wait until fewer are open, in the order in which the script made them. They have no ordinal yet.
  let waiting = [];
  let started = 0;

  // Set while tests run: the function that answers mocked calls, and the function that handles a stalled test.
  let mocks;
  let stalled;

  // Set while the declarations of a tested script run.
  let withoutCalls = false;

  // `more` has the arguments of the tool that follow the first: its options.
  function callTool(backend, tool, given, more) {
    if (withoutCalls) return new PromiseOf(() => {});
    const call = {
      __proto__: null,
      backend,
      tool,
      ordinal: 0,
      waits: false,
      givenUp: false,
      text: "",
      site: new ErrorOf(),
      resolve: undefined,
      reject: undefined,
    };
    return new PromiseOf((resolve, reject) => {
      call.resolve = resolve;
      call.reject = reject;
      let text;
      try {
        text = encode("arguments", given === undefined ? {} : given, limits.argumentChars) ?? "{}";
      } catch (problem) {
        if (problem !== tooLarge) throw problem;
        throw toolError(
          call,
          "too-large",
          "The arguments of " +
            backend +
            "." +
            tool +
            " are longer than " +
            limits.argumentChars +
            " characters; send less, or raise limits.argumentChars",
          false,
          null,
        );
      }
      if (more.length > 0 && !part("options").accept(call, more)) return;
      if (mocks !== undefined) {
        const mock = mocks(backend, tool, text);
        if (mock !== undefined) {
          apply(then, mock.answer(), [call.resolve, call.reject]);
          return;
        }
      }
      const answer = host("call", backend, tool, text);
      if (answer === "") {
        call.waits = true;
        call.text = text;
        put(waiting, waiting.length, call);
      } else if (answer[0] !== "!") awaitAnswer(call, answer);
      else {
        const blank = apply(indexOf, answer, [" "]);
        call.reject(toolError(call, apply(slice, answer, [1, blank]), apply(slice, answer, [blank + 1]), false, null));
      }
    });
  }

  // Gives up a call. If it waits for others, it is not made, and its arguments are dropped.
  function withdraw(call) {
    call.givenUp = true;
    if (!call.waits) return;
    host("withdraw");
    call.waits = false;
    call.text = "";
    while (waiting.length > started && !waiting[waiting.length - 1].waits) waiting.length--;
  }

  function unmocked(call) {
    const name = call.backend + "." + call.tool;
    return "'" + name + "' is not mocked: answer it with mock('" + name + "', …), or grant it to the tests";
  }

  function awaitAnswer(call, ordinal) {
    call.ordinal = NumberOf(ordinal);
    open[ordinal] = call;
  }

  // Returns the call whose answer has arrived, and makes the calls that waited for it. Returns undefined for a call
  // that was made where the call stack ended, and so failed at once.
  function closed(ordinal) {
    const call = open[ordinal];
    delete open[ordinal];
    while (started < waiting.length) {
      const next = waiting[started];
      if (next.waits) {
        const answer = host("waiting-call", next.backend, next.tool, next.text);
        if (answer === "") return call;
        next.waits = false;
        next.text = "";
        awaitAnswer(next, answer);
      }
      waiting[started++] = undefined;
    }
    if (started > 0) {
      waiting = [];
      started = 0;
    }
    return call;
  }

  // Sends a request that the host answers itself. `ask` returns the ordinal of the request or a refusal.
  function requestHost(name, ask) {
    if (withoutCalls) return { __proto__: null, promise: new PromiseOf(() => {}), forget() {} };
    const call = {
      __proto__: null,
      backend: "$sallyport",
      tool: name,
      ordinal: 0,
      site: new ErrorOf(),
      resolve: undefined,
      reject: undefined,
    };
    const promise = new PromiseOf((resolve, reject) => {
      const answer = ask();
      if (answer[0] === "!") throw refused(answer);
      call.resolve = resolve;
      call.reject = reject;
      awaitAnswer(call, answer);
    });
    return {
      __proto__: null,
      promise,
      forget() {
        if (call.ordinal in open) {
          delete open[call.ordinal];
          host("forget", "" + call.ordinal);
        }
      },
    };
  }

  // Names that the language looks up on any object. They are undefined unless a tool has that name.
  const hidden = {
    __proto__: null,
    then: 1,
    catch: 1,
    finally: 1,
    toJSON: 1,
    constructor: 1,
    toString: 1,
    valueOf: 1,
    toLocaleString: 1,
    hasOwnProperty: 1,
    isPrototypeOf: 1,
    propertyIsEnumerable: 1,
    prototype: 1,
    inspect: 1,
    length: 1,
    name: 1,
    asymmetricMatch: 1,
    nodeType: 1,
  };

  // Returns an object whose members come from `known`, and for other names from `unknown`. So a call with a wrong name
  // fails with a ToolError that suggests names, not with "undefined is not a function".
  // If `target` is a function, the object can be called.
  function accessor(known, names, unknown, target = { __proto__: null }) {
    return new ProxyOf(target, {
      __proto__: null,
      get(_, key) {
        if (typeof key !== "string" || key === "then") return undefined;
        const member = known(key);
        if (member !== undefined) return member;
        return key in hidden || apply(indexOf, key, ["__"]) === 0 ? undefined : unknown(key);
      },
      has: (_, key) => typeof key === "string" && key !== "then" && known(key) !== undefined,
      ownKeys: () => names(),
      getOwnPropertyDescriptor(_, key) {
        const value = typeof key === "string" && key !== "then" ? known(key) : undefined;
        return value === undefined
          ? undefined
          : { __proto__: null, value, writable: true, enumerable: true, configurable: true };
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
      preventExtensions: () => false,
    });
  }

  function toolFunction(backend, tool) {
    return freeze((given, ...more) => callTool(backend, tool, given, more));
  }

  function backendAccessor(backend, target) {
    let menu;
    // Separate maps, because the original name of one tool may be the identifier of another.
    const made = { __proto__: null };
    const byKey = { __proto__: null };
    const strangers = { __proto__: null };
    const load = () => menu ?? (menu = parse(host("menu", backend)));
    return accessor(
      (key) => {
        if (key in byKey) return byKey[key];
        const original = hasOwn(load().byName, key) ? menu.byName[key] : undefined;
        return original === undefined ? undefined : (byKey[key] = made[original] ??= toolFunction(backend, original));
      },
      () => load().identifiers,
      (key) => (strangers[key] ??= toolFunction(backend, key)),
      target,
    );
  }

  // The engine's own message would print the whole accessor.
  function notCallable(name) {
    throw construct(TypeErrorOf, ["tools." + name + " is not a function"]);
  }

  const backends = { __proto__: null };
  const strangers = { __proto__: null };
  const knownBackend = (key) => {
    if (!hasOwn(limits.backends, key)) return undefined;
    const original = limits.backends[key];
    return (backends[original] ??= backendAccessor(original));
  };
  const tools = accessor(
    knownBackend,
    () => limits.identifiers,
    (key) => (strangers[key] ??= backendAccessor(key, () => notCallable(key))),
  );
  defineProperty(global, "tools", data(tools, true));
  defineProperty(global, "mcp", data(tools, true));
  defineProperty(global, "__backends", data(tools, true));
  // The code above is the same for every script and runs before a script is assigned; `begin` adds the script's data.
  const bareBackends = { __proto__: null };
  function begin(setup) {
    limits = parse(setup);
    for (let i = 0; i < limits.identifiers.length; i++) {
      const name = limits.identifiers[i];
      if (!(name in global)) {
        lazily(name, "backend", false);
        bareBackends[name] = true;
      }
    }
  }

  // ---- timers ------------------------------------------------------------------------------------------------------

  const timers = { __proto__: null };
  let lastTimer = 0;

  function schedule(callback, delay, repeat) {
    if (typeof callback !== "function") throw new TypeErrorOf("The callback of a timer must be a function");
    if (withoutCalls) return ++lastTimer;
    const wanted = NumberOf(delay);
    const wait = wanted >= 1 ? (wanted > 2147483647 && repeat ? 2147483647 : wanted) : 1;
    const id = ++lastTimer;
    const refusedWhy = host("timer", "" + id, "" + wait, repeat ? "repeat" : "once");
    if (refusedWhy !== "") throw refused(refusedWhy);
    timers[id] = { __proto__: null, callback, repeat };
    return id;
  }

  function cancelTimer(id) {
    if (typeof id === "number" && id in timers && !withoutCalls) {
      delete timers[id];
      host("clear", "" + id);
    }
  }

  show("setTimeout", function setTimeout(callback, delay, ...more) {
    return schedule(more.length === 0 ? callback : () => apply(callback, undefined, more), delay, false);
  });
  show("setInterval", function setInterval(callback, delay, ...more) {
    return schedule(more.length === 0 ? callback : () => apply(callback, undefined, more), delay, true);
  });
  show("clearTimeout", function clearTimeout(id) {
    cancelTimer(id);
  });
  show("clearInterval", function clearInterval(id) {
    cancelTimer(id);
  });
  const then = PromiseOf.prototype.then;
  const reject = PromiseOf.reject;
  // A script may queue very many microtasks, so they create no promises. The results of the callbacks are ignored.
  const resolved = PromiseOf.resolve();
  const ignored = () => {};
  const unhandled = (problem) => {
    apply(reject, PromiseOf, [problem]);
  };
  function Task(settle) {
    settle(ignored, unhandled);
  }
  defineProperty(resolved, "constructor", data({ __proto__: null, [Symbol.species]: Task }, false));
  show("queueMicrotask", function queueMicrotask(callback) {
    if (typeof callback !== "function") throw new TypeErrorOf("The callback of queueMicrotask must be a function");
    apply(then, resolved, [callback]);
  });

  const units = { __proto__: null, ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };
  const duration = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/;
  function millisOf(time, what) {
    const match = typeof time === "string" ? apply(exec, duration, [time]) : null;
    const millis = match === null ? time : NumberOf(match[1]) * units[match[2]];
    if (typeof millis !== "number" || !(millis >= 0)) {
      throw new TypeErrorOf(what + ' takes milliseconds or a text such as "250ms", "10s", "5m", "2h" or "3d"');
    }
    return millis;
  }
  show("sleep", function sleep(time) {
    const millis = millisOf(time, "sleep");
    return new PromiseOf((resolve) => {
      schedule(() => resolve(), millis, false);
    });
  });

  // ---- progress, and promises that the end of the script waits for -------------------------------------------------

  show("progress", function progress(fraction, text) {
    if (typeof fraction !== "number" || !(fraction >= 0 && fraction <= 1)) {
      throw new TypeErrorOf("progress takes a number from 0 to 1, and a text");
    }
    if (withoutCalls) return;
    host("progress", "" + fraction, apply(slice, text === undefined ? "" : StringOf(text), [0, 1000]));
  });

  const kept = [];
  show("waitUntil", function waitUntil(promise) {
    if (withoutCalls) return;
    const settled = new PromiseOf((resolve) => resolve(promise));
    apply(then, settled, [undefined, () => {}]);
    put(kept, kept.length, settled);
  });

  // ---- random numbers: all come from one seeded generator ----------------------------------------------------------

  let chances = "";
  let chanceAt = 0;
  function chance() {
    if (chanceAt === chances.length) {
      chances = host("random");
      chanceAt = 0;
    }
    return apply(charCodeAt, chances, [chanceAt++]);
  }
  // Math.random is called often, so it has its own generator, seeded from the one above: xoshiro128** (Blackman and
  // Vigna, public domain).
  const imul = Math.imul;
  let s0 = 0,
    s1 = 0,
    s2 = 0,
    s3 = 0;
  const bits = () => (chance() << 16) | chance();
  defineProperty(
    Math,
    "random",
    data(function random() {
      if ((s0 | s1 | s2 | s3) === 0) {
        s0 = bits();
        s1 = bits();
        s2 = bits();
        s3 = bits() | 1;
      }
      let sum = 0;
      for (let i = 0; i < 2; i++) {
        const five = imul(s1, 5);
        const word = imul((five << 7) | (five >>> 25), 9) >>> 0;
        const shifted = s1 << 9;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        s3 = (s3 << 11) | (s3 >>> 21);
        sum = i === 0 ? (word >>> 5) * 67108864 : (sum + (word >>> 6)) / 9007199254740992;
      }
      return sum;
    }, false),
  );

  // ---- clock: the host returns the times, and during a replay those that the journal has ---------------------------

  const now = () => host("now");
  const DateOf = Date;
  const DatePrototype = DateOf.prototype;
  const dateText = DatePrototype.toString;
  function GuestDate(...parts) {
    if (new.target === undefined) return apply(dateText, construct(DateOf, [now()]), []);
    return construct(DateOf, parts.length === 0 ? [now()] : parts, new.target);
  }
  const dateMembers = ["length", "name", "prototype", "parse", "UTC"];
  for (let i = 0; i < dateMembers.length; i++) {
    defineProperty(GuestDate, dateMembers[i], Object.getOwnPropertyDescriptor(DateOf, dateMembers[i]));
  }
  defineProperty(
    GuestDate,
    "now",
    data(function now() {
      return host("now");
    }, false),
  );
  defineProperty(DatePrototype, "constructor", data(GuestDate, false));
  show("Date", GuestDate);
  let origin;
  defineProperty(
    performance,
    "now",
    data(function now() {
      const time = host("now");
      return time - (origin ??= time);
    }, false),
  );
  defineProperty(performance, "timeOrigin", {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get: () => (origin ??= now()),
  });
  const formatter = Intl.DateTimeFormat.prototype;
  const formatOf = Object.getOwnPropertyDescriptor(formatter, "format").get;
  const formatToParts = formatter.formatToParts;
  defineProperty(formatter, "format", {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      const format = apply(formatOf, this, []);
      return (date) => format(date === undefined ? now() : date);
    },
    set: undefined,
  });
  defineProperty(
    formatter,
    "formatToParts",
    data(function (date) {
      return apply(formatToParts, this, [date === undefined ? now() : date]);
    }, false),
  );

  // ---- JSON: the engine writes about a thousand levels; a part writes deeper values ---------------------------------

  const TOO_DEEP = "cannot stringify objects nested that deep";
  const json = {
    stringify(value, replacer, space) {
      try {
        return stringify(value, replacer, space);
      } catch (problem) {
        if (!(problem instanceof RangeErrorOf) || problem.message !== TOO_DEEP) throw problem;
        return part("json").stringify(value, replacer, space);
      }
    },
  };
  defineProperty(JSON, "stringify", data(json.stringify, false));

  // ---- proxies: the console knows their targets, so that printing a proxy runs no trap -----------------------------

  const targets = new WeakMap();
  function proxied(target, handler) {
    const made = construct(ProxyOf, [target, handler]);
    apply(MapSet, targets, [made, target]);
    return made;
  }
  function GuestProxy(target, handler) {
    if (new.target === undefined) throw new TypeErrorOf("Constructor Proxy requires 'new'");
    return proxied(target, handler);
  }
  const revocableProxy = ProxyOf.revocable;
  GuestProxy.prototype = undefined;
  defineProperty(GuestProxy, "name", data("Proxy", false));
  defineProperty(
    GuestProxy,
    "revocable",
    data(function revocable(target, handler) {
      const made = revocableProxy(target, handler);
      apply(MapSet, targets, [made.proxy, target]);
      return made;
    }, false),
  );
  show("Proxy", GuestProxy);

  // ---- globals that are created on first use -----------------------------------------------------------------------

  const lazies = {
    __proto__: null,
    console: "console",
    events: "services",
    artifacts: "services",
    approvals: "services",
    capabilities: "capabilities",
    __interfaces: "catalog",
    __getToolInterface: "catalog",
    searchTools: "catalog",
    describeTool: "catalog",
    structuredClone: "extras",
    atob: "extras",
    btoa: "extras",
    URL: "url",
    URLSearchParams: "url",
    crypto: "crypto",
    AbortController: "web",
    AbortSignal: "web",
    Event: "web",
    EventTarget: "web",
    DOMException: "web",
    DisposableStack: "disposal",
    AsyncDisposableStack: "disposal",
    SuppressedError: "disposal",
  };
  for (const name in lazies) lazily(name, lazies[name], false);

  // The engine has no symbol of this name yet.
  function lazySymbol(name) {
    defineProperty(SymbolOf, name, {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get() {
        const value = part("disposal")[name];
        definesProperty(SymbolOf, name, data(value, true));
        return value;
      },
    });
  }
  lazySymbol("dispose");
  lazySymbol("asyncDispose");
  lazily("args", "input", true);
  lazily("context", "input", true);
  lazily("env", "input", true);

  const inputs = { __proto__: null };
  function input(name) {
    return (
      inputs[name] ??
      (inputs[name] = frozen(name === "env" ? bare(parse(host("input", name))) : parse(host("input", name))))
    );
  }

  function bare(from) {
    const to = { __proto__: null };
    const names = keysOf(from);
    for (let i = 0; i < names.length; i++) to[names[i]] = from[names[i]];
    return to;
  }

  const denied = {
    __proto__: null,
    fetch: "use an HTTP tool: see Object.keys(tools)",
    XMLHttpRequest: "use an HTTP tool: see Object.keys(tools)",
    WebSocket: "use a tool: see Object.keys(tools)",
    EventSource: "use events or a tool: see Object.keys(tools)",
    Worker: "calls that are not awaited run in parallel: use Promise.all",
  };
  for (const name in denied) {
    show(name, function () {
      blocked("global", name);
      throw refusal(PermissionDenied, name + " is not available in a script; " + denied[name]);
    });
  }
  const requireModule = function require(name) {
    return part("modules").require(name);
  };
  const importModule = async (name) => part("modules").namespace(name);
  // The globals of other runtimes. Such a name may be a backend, or a global that this script has defined.
  const absentGlobals = new ProxyOf(
    { __proto__: null },
    { __proto__: null, get: (_, name) => (name in global ? global[name] : part("absent").standIn(name)) },
  );
  // The resources of a block with `using` declarations.
  const openResources = () => part("disposal").open();
  // The helpers of calls with spread arguments.
  const spreadCalls = () => part("spread");
  show("require", requireModule);

  // ---- start and end -----------------------------------------------------------------------------------------------

  function textOf(value) {
    try {
      return typeof value === "string" ? value : StringOf(value);
    } catch {
      return "a value without text";
    }
  }

  function describe(error) {
    const told = { __proto__: null, code: "script-error", message: "", stack: "", tool: null, call: 0 };
    try {
      const isError = typeof error === "object" && error !== null && "message" in error;
      if (!isError) {
        const object = typeof error === "object" || typeof error === "function";
        told.message = "Uncaught " + (object ? part("inspect").format([error]) : textOf(error));
        return told;
      }
      const message = textOf(error.message);
      told.message = textOf(error.name) + (message === "" ? "" : ": " + message);
      const stack = error.stack;
      told.stack = typeof stack === "string" ? stack : "";
      const origin = apply(MapGet, origins, [error]);
      if (origin === undefined) told.message = part("hints").explained(told.message, message) ?? told.message;
      else {
        told.code = origin.code;
        if (origin.tool !== undefined) {
          told.tool = origin.backend + "." + origin.tool;
          told.call = origin.ordinal;
        }
      }
    } catch {
      told.message = told.message || "an error that cannot be read";
    }
    return told;
  }

  function tell(error, code) {
    const told = describe(error);
    if (code !== undefined) told.code = code;
    host("threw", told.code, told.message, told.stack, told.tool ?? "", "" + told.call);
  }

  const TOLD_CALLS = 5;
  const TOLD_REJECTIONS = 3;

  function warnOfOpenCalls() {
    let names = "";
    let count = 0;
    const add = (call) => {
      if (call.givenUp) return;
      if ((call.tool === "events.next" || call.tool === "events.last") && call.backend === "$sallyport") return;
      const name = call.backend === "$sallyport" ? call.tool : call.backend + "." + call.tool;
      if (count < TOLD_CALLS) names += (count === 0 ? "" : ", ") + name;
      count++;
    };
    for (const ordinal in open) add(open[ordinal]);
    for (let i = started; i < waiting.length; i++) if (waiting[i].waits) add(waiting[i]);
    if (count === 0) return;
    host(
      "print",
      "err",
      "Warning: " +
        (count === 1 ? "1 call was" : count + " calls were") +
        " still open when the script returned and will be cancelled: " +
        names +
        (count > TOLD_CALLS ? ", …" : "") +
        " (await them, or give their promise to waitUntil)\n",
    );
  }

  // The warning to print if the result is null; empty if there is none.
  let nullWarning = "";

  function returned(value) {
    let text;
    try {
      text = encode("result", value, limits.resultChars) ?? "null";
    } catch (problem) {
      if (problem === tooLarge) host("too-large");
      else tell(problem, "result-not-json");
      return;
    }
    warnOfOpenCalls();
    if (text === "null" && nullWarning !== "") host("print", "err", nullWarning + "\n");
    host("done", text);
  }

  async function run(main) {
    let value;
    try {
      value = await main();
      for (let i = 0; i < kept.length; i++) await kept[i];
    } catch (problem) {
      tell(problem);
      return;
    }
    returned(value);
  }

  kit = freeze({
    __proto__: null,
    host,
    part,
    parse,
    stringify,
    encode,
    put,
    frozen,
    refusal,
    refused,
    blocked,
    requestHost,
    callTool,
    withdraw,
    accessor,
    schedule,
    cancelTimer,
    millisOf,
    chance,
    tell,
    toolError,
    proxyTargetOf: (proxy) => apply(MapGet, targets, [proxy]),
    setMocks(answers) {
      mocks = answers;
    },
    onStall(act) {
      stalled = act;
    },
    // Runs the async function `act` and all that it sets off; passes its error to `failed`. Calls and timers have no
    // effect meanwhile: their promises stay pending.
    runWithoutCalls(act, failed) {
      const turn = new PromiseOf((resolve) => schedule(resolve, 1, false));
      withoutCalls = true;
      apply(then, act(), [undefined, failed]);
      return apply(then, turn, [
        () => {
          withoutCalls = false;
        },
      ]);
    },
    backends: () => limits.backends,
    identifiers: () => limits.identifiers,
    limits: () => limits,
    tooLarge,
    show,
    apply,
    then,
    construct,
    definesProperty,
    freeze,
    getPrototypeOf,
    isArray,
    keysOf,
    tagOf,
    indexOf,
    slice,
    valueOfNumber,
    valueOfString,
    valueOfBoolean,
    valueOfBigInt,
    WeakMapOf,
    MapGet,
    MapSet,
    ErrorOf,
    RangeErrorOf,
    ReferenceErrorOf,
    NumberOf,
    StringOf,
    SymbolOf,
    TypeErrorOf,
    PermissionDenied,
    LimitError,
    ToolError,
    ModuleNotAllowedError,
    requireModule,
    importModule,
    absentGlobals,
    openResources,
    spreadCalls,
    isOurs: (name) => !(name in bareBackends),
  });

  return freeze({
    __proto__: null,
    begin,
    run(main, warning) {
      nullWarning = warning;
      run(() =>
        main(global.args, global.context, requireModule, importModule, absentGlobals, openResources, spreadCalls),
      );
    },
    callOf: (backend, tool, text) => () => callTool(backend, tool, parse(text), []),
    runTests(main, tests, declares) {
      run(() => part("testing").run(main, tests, declares));
    },
    resolve(ordinal, text) {
      const call = closed(ordinal);
      if (call === undefined) return;
      let value;
      try {
        value = parse(text);
      } catch (problem) {
        call.reject(problem);
        return;
      }
      call.resolve(value);
    },
    reject(ordinal, code, message, retryable, details) {
      const call = closed(ordinal);
      if (call === undefined) return;
      const words = mocks !== undefined && code === "not-granted" ? unmocked(call) : message;
      call.reject(toolError(call, code, words, retryable, details === null ? null : parse(details)));
    },
    // Called for a rejection that nothing handles in the first turn of the tests. The engine puts several into one
    // error.
    rejected(problem) {
      if (!withoutCalls) {
        tell(problem, "unhandled-rejection");
        return;
      }
      const errors = problem instanceof AggregateErrorOf && isArray(problem.errors) ? problem.errors : [problem];
      for (let i = 0; i < errors.length && i < TOLD_REJECTIONS; i++) {
        const message = describe(errors[i]).message;
        host("print", "err", "Warning: a declaration of the script left a rejection: " + message + "\n");
      }
    },
    // Called when no pending call or timer can settle a promise. Returns whether a test continues.
    stalled: () => stalled !== undefined && stalled(),
    fire(id) {
      const timer = timers[id];
      if (timer === undefined) return;
      if (!timer.repeat) delete timers[id];
      const callback = timer.callback;
      try {
        callback();
      } catch (problem) {
        tell(problem);
      }
    },
    tell,
  });
});
