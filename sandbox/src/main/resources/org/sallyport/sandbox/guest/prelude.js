// Runs first in every context and builds all that a script sees. Everything it needs of the language is captured
// here, before any code of the author runs: whatever the author overwrites later changes nothing for the bridge.
// For the same reason the bridge's own code below uses no iteration protocol, no spread and no method of a prototype.
(function (bridge) {
  'use strict';

  const { apply, construct, ownKeys } = Reflect;
  const { defineProperty, freeze, keys: keysOf, getPrototypeOf, prototype: ObjectPrototype } = Object;
  const { parse, stringify } = JSON;
  const hasOwn = Object.hasOwn;
  const isArray = Array.isArray;
  const ArrayPrototype = Array.prototype;
  const tagOf = ObjectPrototype.toString;
  const PromiseOf = Promise;
  const ErrorOf = Error;
  const TypeErrorOf = TypeError;
  const ProxyOf = Proxy;
  const StringOf = String;
  const NumberOf = Number;
  const indexOf = String.prototype.indexOf;
  const slice = String.prototype.slice;
  const exec = RegExp.prototype.exec;
  const valueOfNumber = Number.prototype.valueOf;
  const valueOfString = String.prototype.valueOf;
  const valueOfBoolean = Boolean.prototype.valueOf;
  const global = globalThis;

  let limits = { __proto__: null, backends: { __proto__: null }, identifiers: [] };

  function host(what, a, b, c, d, e) {
    const answer = bridge(what, a, b, c, d, e);
    if (answer === false) throw construct(ErrorOf, ['the sandbox failed (' + what + ')']);
    return answer;
  }

  // ---- what must not stay -------------------------------------------------------------------------------------

  const removed = ['load', 'loadWithNewGlobal', 'print', 'printErr', 'quit', 'exit', 'read', 'readline', 'readbuffer',
    'Graal', 'Polyglot', 'Java', 'Packages', 'java', 'SharedArrayBuffer', 'WebAssembly', 'WeakRef',
    'FinalizationRegistry', 'ShadowRealm', 'arguments', 'console'];
  for (let i = 0; i < removed.length; i++) delete global[removed[i]];
  if (typeof Atomics === 'object') {
    delete Atomics.wait;
    delete Atomics.waitAsync;
    delete Atomics.notify;
  }

  function show(name, value) {
    defineProperty(global, name, { value, writable: true, configurable: true, enumerable: false });
  }

  // A value that is made when it is first asked for; assigning replaces it like any other global.
  function lazily(target, name, make, fixed) {
    defineProperty(target, name, {
      configurable: true,
      enumerable: false,
      get() {
        const value = make();
        defineProperty(target, name, { value, writable: !fixed, configurable: !fixed, enumerable: false });
        return value;
      },
      set: fixed ? undefined : (value) => show(name, value)
    });
  }

  // ---- parts that few scripts need, read from the host on first use ---------------------------------------------

  const parts = { __proto__: null };
  function part(name) {
    return parts[name] ?? (parts[name] = host('part', name)({ host, ErrorOf, TypeErrorOf }));
  }

  // ---- errors ---------------------------------------------------------------------------------------------------

  class ToolError extends Error {
    constructor(message, { backend, tool, code = 'tool-failed', retryable = false, details = null } = {}) {
      super(message);
      this.backend = backend;
      this.tool = tool;
      this.code = code;
      this.retryable = retryable;
      this.details = details;
    }
  }
  class ToolOutcomeUnknownError extends ToolError {}
  class PermissionDenied extends Error {}
  class ModuleNotAllowedError extends PermissionDenied {}
  function named(type, name) {
    defineProperty(type.prototype, 'name', { value: name, writable: true, configurable: true, enumerable: false });
    show(name, type);
  }
  named(ToolError, 'ToolError');
  named(ToolOutcomeUnknownError, 'ToolOutcomeUnknownError');
  named(PermissionDenied, 'PermissionDenied');
  named(ModuleNotAllowedError, 'ModuleNotAllowedError');

  // Which call a ToolError came from; kept apart from the error, where the author could change it.
  const origins = new WeakMap();
  const rememberOrigin = WeakMap.prototype.set;
  const originOf = WeakMap.prototype.get;

  function toolError(call, code, message, retryable, details) {
    const type = code === 'outcome-unknown' ? ToolOutcomeUnknownError : ToolError;
    const error = construct(type, [message, { __proto__: null, backend: call.backend, tool: call.tool, code, retryable, details }]);
    placed(error, call.site);
    apply(rememberOrigin, origins, [error, call]);
    return error;
  }

  // The engine finds no frames for errors of classes made here; they get those of `site`, a plain error made in time.
  function placed(error, site) {
    const stack = site.stack;
    const frames = typeof stack === 'string' ? apply(indexOf, stack, ['\n']) : -1;
    const head = error.name + (error.message === '' ? '' : ': ' + error.message);
    defineProperty(error, 'stack', {
      value: frames < 0 ? head : head + apply(slice, stack, [frames]),
      writable: true, configurable: true, enumerable: false
    });
    return error;
  }

  function refusal(type, message) {
    return placed(construct(type, [message]), new ErrorOf());
  }

  // ---- values that cross ----------------------------------------------------------------------------------------

  const MAX_DEPTH = 64;
  const tooLarge = freeze({ __proto__: null, tooLarge: true });

  // JSON text of a value, or a TypeError that names the path of what JSON cannot carry.
  function encode(root, start, limit) {
    const ancestors = [];
    let size = 0;

    function bounded(text) {
      size += text.length;
      if (size > limit) throw tooLarge;
      return text;
    }

    function refuse(path, what) {
      throw construct(TypeErrorOf, [path + ' ' + what]);
    }

    function write(path, key, given, depth) {
      let value = given;
      if (typeof value === 'object' && value !== null) {
        const convert = conversionOf(value);
        if (convert !== undefined) value = apply(convert, value, [key]);
      }
      switch (typeof value) {
        case 'string': return bounded(stringify(value));
        case 'number':
          if (value !== value || value === Infinity || value === -Infinity) refuse(path, 'is ' + value + ', which JSON cannot carry');
          return bounded('' + value);
        case 'boolean': return bounded(value ? 'true' : 'false');
        case 'undefined': return undefined;
        case 'bigint': return refuse(path, 'is a BigInt, which JSON cannot carry (use String(…))');
        case 'function': return refuse(path, 'is a function, which JSON cannot carry');
        case 'symbol': return refuse(path, 'is a symbol, which JSON cannot carry');
      }
      if (value === null) return bounded('null');
      return structure(path, value, depth);
    }

    function structure(path, value, depth) {
      for (let i = 0; i < depth; i++) if (ancestors[i] === value) refuse(path, 'is a cycle');
      if (depth >= MAX_DEPTH) refuse(path, 'is nested deeper than ' + MAX_DEPTH + ' levels');
      defineProperty(ancestors, depth, { value, writable: true, configurable: true, enumerable: true });
      let text;
      if (isArray(value)) text = list(path, value, depth);
      else {
        const prototype = getPrototypeOf(value);
        const special = prototype === ObjectPrototype || prototype === null ? undefined : unusual(path, value, depth);
        text = special ?? members(path, value, depth);
      }
      ancestors[depth] = undefined;
      return text;
    }

    function list(path, value, depth) {
      const length = value.length;
      let text = '[';
      for (let i = 0; i < length; i++) {
        const item = write(path + '[' + i + ']', '' + i, value[i], depth + 1) ?? bounded('null');
        text += i === 0 ? item : bounded(',') + item;
      }
      return text + ']';
    }

    function members(path, value, depth) {
      const names = keysOf(value);
      let text = '{';
      let first = true;
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        const item = write(path + '.' + name, name, value[name], depth + 1);
        if (item === undefined) continue;
        text += (first ? '' : ',') + bounded(stringify(name)) + bounded(':') + item;
        first = false;
      }
      return text + '}';
    }

    function unusual(path, value, depth) {
      const tag = apply(tagOf, value, []);
      switch (tag) {
        case '[object Number]': return write(path, '', apply(valueOfNumber, value, []), depth);
        case '[object String]': return write(path, '', apply(valueOfString, value, []), depth);
        case '[object Boolean]': return write(path, '', apply(valueOfBoolean, value, []), depth);
        case '[object Promise]': return refuse(path, 'is a promise (is an await missing?)');
        case '[object Map]': return refuse(path, 'is a Map (use Object.fromEntries(…))');
        case '[object Set]': return refuse(path, 'is a Set (use Array.from(…))');
        case '[object WeakMap]': case '[object WeakSet]': case '[object RegExp]': case '[object Generator]':
          return refuse(path, 'is a ' + apply(slice, tag, [8, -1]) + ', which JSON cannot carry');
        case '[object Error]': return error(path, value, depth);
      }
      const bytes = part('extras').bytesOf(value);
      if (bytes === undefined) return undefined;
      return write(path, '', { __proto__: null, $base64: bytes.base64, type: bytes.type }, depth);
    }

    function error(path, value, depth) {
      const own = members(path, value, depth);
      const head = '{"name":' + stringify(StringOf(value.name)) + ',"message":' + stringify(StringOf(value.message));
      return bounded(head) + (own === '{}' ? '}' : ',' + apply(slice, own, [1]));
    }

    return write(root, '', start, 0);
  }

  // The author's own toJSON, but never one planted on Object.prototype or Array.prototype.
  function conversionOf(value) {
    const prototype = getPrototypeOf(value);
    if (prototype === ObjectPrototype || prototype === ArrayPrototype || prototype === null) {
      if (!hasOwn(value, 'toJSON')) return undefined;
    }
    const convert = value.toJSON;
    return typeof convert === 'function' && convert !== ObjectPrototype.toJSON ? convert : undefined;
  }

  function frozen(value) {
    if (typeof value !== 'object' || value === null) return value;
    const names = ownKeys(value);
    for (let i = 0; i < names.length; i++) if (names[i] !== 'length') frozen(value[names[i]]);
    return freeze(value);
  }

  // ---- tool calls -----------------------------------------------------------------------------------------------

  const open = { __proto__: null };

  function callTool(backend, tool, given) {
    const call = { __proto__: null, backend, tool, ordinal: 0, site: new ErrorOf(), resolve: undefined, reject: undefined };
    return new PromiseOf((resolve, reject) => {
      let text;
      try {
        text = encode('arguments', given === undefined ? {} : given, limits.argumentChars) ?? '{}';
      } catch (problem) {
        if (problem !== tooLarge) throw problem;
        throw toolError(call, 'too-large', 'The arguments of ' + backend + '.' + tool + ' are longer than '
          + limits.argumentChars + ' characters', false, null);
      }
      const answer = host('call', backend, tool, text);
      if (answer[0] === '!') throw toolError(call, 'call-limit', apply(slice, answer, [1]), false, null);
      call.ordinal = NumberOf(answer);
      call.resolve = resolve;
      call.reject = reject;
      open[answer] = call;
    });
  }

  // Names that the language itself looks up on any object: never a tool unless there is one of that name.
  const hidden = { __proto__: null, then: 1, catch: 1, finally: 1, toJSON: 1, constructor: 1, toString: 1, valueOf: 1,
    toLocaleString: 1, hasOwnProperty: 1, isPrototypeOf: 1, propertyIsEnumerable: 1, prototype: 1,
    inspect: 1, length: 1, name: 1, asymmetricMatch: 1, nodeType: 1 };

  // An object whose members are looked up in `known` first; other names are asked of `unknown`, so that a wrong name
  // fails with a ToolError that knows better ones instead of "undefined is not a function".
  function accessor(known, names, unknown) {
    return new ProxyOf({ __proto__: null }, {
      __proto__: null,
      get(_, key) {
        if (typeof key !== 'string' || key === 'then') return undefined;
        const member = known(key);
        if (member !== undefined) return member;
        return key in hidden || apply(indexOf, key, ['__']) === 0 ? undefined : unknown(key);
      },
      has: (_, key) => typeof key === 'string' && key !== 'then' && known(key) !== undefined,
      ownKeys: () => names(),
      getOwnPropertyDescriptor(_, key) {
        const value = typeof key === 'string' && key !== 'then' ? known(key) : undefined;
        return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
      preventExtensions: () => false
    });
  }

  function toolFunction(backend, tool) {
    return freeze((given) => callTool(backend, tool, given));
  }

  function backendAccessor(backend) {
    let menu;
    const made = { __proto__: null };
    const strangers = { __proto__: null };
    const load = () => menu ?? (menu = parse(host('menu', backend)));
    return accessor(
      (key) => {
        if (key in made) return made[key];
        const original = hasOwn(load().byName, key) ? menu.byName[key] : undefined;
        return original === undefined ? undefined : (made[original] ??= toolFunction(backend, original), made[key] = made[original]);
      },
      () => load().identifiers,
      (key) => strangers[key] ??= toolFunction(backend, key));
  }

  const backends = { __proto__: null };
  const strangers = { __proto__: null };
  const knownBackend = (key) => {
    if (!hasOwn(limits.backends, key)) return undefined;
    const original = limits.backends[key];
    return backends[original] ??= backendAccessor(original);
  };
  const tools = accessor(knownBackend, () => limits.identifiers, (key) => strangers[key] ??= backendAccessor(key));
  defineProperty(global, 'tools', { value: tools, enumerable: false });
  defineProperty(global, 'mcp', { value: tools, enumerable: false });
  // All of the above is the same for every script and made before one is there; this is what is its own.
  function begin(setup) {
    limits = parse(setup);
    for (let i = 0; i < limits.identifiers.length; i++) {
      const name = limits.identifiers[i];
      if (!(name in global)) lazily(global, name, () => knownBackend(name), false);
    }
  }

  // ---- timers ---------------------------------------------------------------------------------------------------

  const timers = { __proto__: null };
  let lastTimer = 0;

  function schedule(callback, delay, repeat) {
    if (typeof callback !== 'function') throw new TypeErrorOf('The callback of a timer must be a function');
    const wanted = NumberOf(delay);
    const wait = wanted >= 1 ? (wanted > 2147483647 && repeat ? 2147483647 : wanted) : 1;
    const id = ++lastTimer;
    const refused = host('timer', '' + id, '' + wait, repeat ? 'repeat' : 'once');
    if (refused !== '') throw new ErrorOf(refused);
    timers[id] = { __proto__: null, callback, repeat };
    return id;
  }

  function cancelTimer(id) {
    if (typeof id === 'number' && id in timers) {
      delete timers[id];
      host('clear', '' + id);
    }
  }

  show('setTimeout', function setTimeout(callback, delay, ...more) {
    return schedule(more.length === 0 ? callback : () => apply(callback, undefined, more), delay, false);
  });
  show('setInterval', function setInterval(callback, delay, ...more) {
    return schedule(more.length === 0 ? callback : () => apply(callback, undefined, more), delay, true);
  });
  show('clearTimeout', function clearTimeout(id) { cancelTimer(id); });
  show('clearInterval', function clearInterval(id) { cancelTimer(id); });
  const resolved = PromiseOf.resolve();
  const then = PromiseOf.prototype.then;
  show('queueMicrotask', function queueMicrotask(callback) {
    if (typeof callback !== 'function') throw new TypeErrorOf('The callback of queueMicrotask must be a function');
    apply(then, resolved, [() => { callback(); }]);
  });

  const units = { __proto__: null, ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };
  const duration = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/;
  show('sleep', function sleep(time) {
    const match = typeof time === 'string' ? apply(exec, duration, [time]) : null;
    const millis = match === null ? time : NumberOf(match[1]) * units[match[2]];
    if (typeof millis !== 'number' || !(millis >= 0)) {
      throw new TypeErrorOf('sleep takes milliseconds or a text such as "250ms", "10s", "5m", "2h" or "3d"');
    }
    return new PromiseOf((resolve) => { schedule(() => resolve(), millis, false); });
  });

  // ---- output ---------------------------------------------------------------------------------------------------

  let indent = '';
  function print(stream, values) {
    const text = values.length === 1 && typeof values[0] === 'string' ? values[0] : part('inspect').format(values);
    host('print', stream, indent === '' ? text + '\n' : part('inspect').indented(text, indent) + '\n');
  }
  const console = {
    log: (...values) => print('out', values),
    info: (...values) => print('out', values),
    debug: (...values) => print('out', values),
    warn: (...values) => print('err', values),
    error: (...values) => print('err', values),
    trace: (...values) => print('err', ['Trace: ' + part('inspect').format(values)]),
    dir: (value) => print('out', [part('inspect').format([value])]),
    table: (...values) => print('out', values),
    assert(condition, ...values) {
      if (!condition) print('err', ['Assertion failed' + (values.length === 0 ? '' : ': ' + part('inspect').format(values))]);
    },
    group(...values) {
      if (values.length > 0) print('out', values);
      indent += '  ';
    },
    groupEnd() { indent = apply(slice, indent, [2]); }
  };
  show('console', console);

  // ---- what other runtimes have ---------------------------------------------------------------------------------

  const extras = ['structuredClone', 'atob', 'btoa'];
  for (let i = 0; i < extras.length; i++) lazily(global, extras[i], () => part('extras')[extras[i]], false);

  const denied = { __proto__: null,
    fetch: 'use an HTTP tool: see Object.keys(tools)',
    XMLHttpRequest: 'use an HTTP tool: see Object.keys(tools)',
    WebSocket: 'use a tool: see Object.keys(tools)',
    EventSource: 'use a tool: see Object.keys(tools)' };
  for (const name in denied) {
    show(name, function () {
      throw refusal(PermissionDenied, name + ' is not available in a script; ' + denied[name]);
    });
  }
  show('require', function require(name) {
    throw refusal(ModuleNotAllowedError, 'Module ' + stringify(StringOf(name)) + ' is not available in a script; use a tool: see Object.keys(tools)');
  });

  // Objects of other runtimes stay undefined, so that `typeof process` tells the truth; using one explains itself.
  const elsewhere = { __proto__: null, process: 'use args, context and console', Deno: 'use tools', Bun: 'use tools',
    Java: 'use tools', Packages: 'use tools', Polyglot: 'use tools', window: 'use globalThis', document: 'use tools',
    WebAssembly: 'it was removed', SharedArrayBuffer: 'use ArrayBuffer', module: 'use return or export default',
    exports: 'use return or export default', __dirname: 'there is no file system', __filename: 'there is no file system' };
  const refusedImport = /^Operation is not allowed for: (.*)$/s;
  const undefinedName = /^(?:ReferenceError: )?(\w+) is not defined$/;

  // ---- chance and time: replaced here by seeded ones once executions are replayed --------------------------------

  // ---- start and end --------------------------------------------------------------------------------------------

  lazily(global, 'args', () => frozen(parse(host('input', 'args'))), true);
  lazily(global, 'context', () => frozen(parse(host('input', 'context'))), true);

  function textOf(value) {
    try {
      return typeof value === 'string' ? value : StringOf(value);
    } catch {
      return 'a value without text';
    }
  }

  function describe(error) {
    const told = { __proto__: null, code: 'script-error', message: '', stack: '', tool: null, call: 0 };
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      if (!isError) {
        told.message = 'Uncaught ' + (typeof error === 'object' || typeof error === 'function' ? part('inspect').format([error]) : textOf(error));
        return told;
      }
      const message = textOf(error.message);
      const match = apply(exec, undefinedName, [message]);
      const hint = match !== null && error instanceof ReferenceError ? elsewhere[match[1]] : undefined;
      const module = apply(exec, refusedImport, [message]);
      told.message = hint !== undefined ? 'PermissionDenied: ' + match[1] + ' is not available in a script; ' + hint
        : module !== null ? 'ModuleNotAllowedError: Module ' + stringify(module[1]) + ' is not available in a script; use a tool'
        : textOf(error.name) + (message === '' ? '' : ': ' + message);
      told.stack = typeof error.stack === 'string' ? error.stack : '';
      const origin = apply(originOf, origins, [error]);
      if (origin !== undefined) {
        told.code = textOf(error.code);
        told.tool = origin.backend + '.' + origin.tool;
        told.call = origin.ordinal;
      }
    } catch {
      told.message = told.message || 'an error that cannot be read';
    }
    return told;
  }

  function tell(error, code) {
    const told = describe(error);
    if (code !== undefined) told.code = code;
    host('threw', told.code, told.message, told.stack, told.tool ?? '', '' + told.call);
  }

  function returned(value) {
    let text;
    try {
      text = encode('result', value, limits.resultChars) ?? 'null';
    } catch (problem) {
      if (problem === tooLarge) host('too-large');
      else tell(problem, 'result-not-json');
      return;
    }
    host('done', text);
  }

  async function run(main) {
    let value;
    try {
      value = await main();
    } catch (problem) {
      tell(problem);
      return;
    }
    returned(value);
  }

  return freeze({
    __proto__: null,
    begin,
    run(main) { run(() => main(global.args, global.context, global.require, async (name) => global.require(name))); },
    runCall(backend, tool, text) { run(() => callTool(backend, tool, parse(text))); },
    resolve(ordinal, text) {
      const call = open[ordinal];
      delete open[ordinal];
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
      const call = open[ordinal];
      delete open[ordinal];
      call.reject(toolError(call, code, message, retryable, details === null ? null : parse(details)));
    },
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
    tell
  });
})
