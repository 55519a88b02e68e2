// Tests of a script: test, assert and mock. Loaded on first use. Tests that overwrite functions of the language may
// falsify their own report, but its size stays bounded. The other tests run after a failed or stalled one.
(function (kit) {
  "use strict";
  const { host, parse, encode, setMocks, onStall, toolError, show, ToolError } = kit;
  const { requireModule, importModule, absentGlobals, openResources, spreadCalls } = kit;
  const inspect = (value) => kit.part("inspect").inspect(value);
  const now = Date.now;
  const PromiseOf = Promise;
  const race = PromiseOf.race.bind(PromiseOf);
  const { stringify } = JSON;
  const MAX_TESTS = 1000;
  const MAX_JSON = 16000000;
  const MAX_NAME = 200;
  const MAX_ERROR = 10000;
  // Characters of all names and errors together, as JSON. After that, only the beginning of each text is kept.
  const MAX_TEXT = 300000;
  const BEGINNING = 40;

  // ---- declarations ------------------------------------------------------------------------------------------------

  const tests = [];
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  let closed = false;

  function declare(how, name, fn) {
    if (typeof name !== "string" || typeof fn !== "function") throw new TypeError("test takes a name and a function");
    if (closed) throw new Error("Tests must be declared before the test code ends");
    if (tests.length >= MAX_TESTS) throw new Error("There may be " + MAX_TESTS + " tests");
    tests.push({ how, name: cut(name, MAX_NAME), fn });
  }

  function cut(text, length) {
    if (text.length <= length) return text;
    const last = text.charCodeAt(length - 1);
    return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length) + "…";
  }

  const test = Object.assign((name, fn) => declare("run", name, fn), {
    skip: (name, fn = () => {}) => declare("skip", name, fn),
    only: (name, fn) => declare("only", name, fn),
  });
  const hook = (kind) => (fn) => {
    if (typeof fn !== "function") throw new TypeError(kind + " takes a function");
    hooks[kind].push(fn);
  };
  const before = Object.assign(hook("before"), { each: hook("beforeEach") });
  const after = Object.assign(hook("after"), { each: hook("afterEach") });

  // ---- assertions --------------------------------------------------------------------------------------------------

  class AssertionError extends Error {
    constructor({ message, operator, actual, expected, details }) {
      super(message);
      Object.defineProperty(this, "name", { value: "Assertion", configurable: true, writable: true });
      const stack = new kit.ErrorOf().stack;
      const frames = stack.indexOf("\n");
      Object.defineProperty(this, "stack", {
        value: "Assertion: " + message + (frames < 0 ? "" : stack.slice(frames)),
        configurable: true,
        writable: true,
      });
      Object.assign(this, { code: "ERR_ASSERTION", operator, actual, expected, details });
    }
  }

  function fail(given, standard, operator, actual, expected, details) {
    if (given instanceof Error) throw given;
    throw new AssertionError({
      message: given === undefined ? standard : String(given),
      operator,
      actual,
      expected,
      details,
    });
  }

  function sameMembers(a, b, pairs) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], pairs))
    );
  }

  function same(a, b, pairs = []) {
    if (Object.is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) && a.constructor !== b.constructor) return false;
    if (pairs.some(([x, y]) => x === a && y === b)) return true;
    const more = [...pairs, [a, b]];
    if (a instanceof Date) return a.getTime() === b.getTime();
    if (a instanceof RegExp) return String(a) === String(b);
    if (a instanceof Error) return a.message === b.message && a.name === b.name && sameMembers(a, b, more);
    if (a instanceof Map) {
      return (
        a.size === b.size &&
        [...a].every(([key, value]) =>
          b.has(key)
            ? same(value, b.get(key), more)
            : [...b].some(([other, item]) => same(key, other, more) && same(value, item, more)),
        )
      );
    }
    if (a instanceof Set) {
      return (
        a.size === b.size && [...a].every((item) => b.has(item) || [...b].some((other) => same(item, other, more)))
      );
    }
    if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b), more);
    return (!Array.isArray(a) || a.length === b.length) && sameMembers(a, b, more);
  }

  function difference(actual, expected) {
    const lines = (value) => inspect(value).split("\n");
    const theirs = lines(expected);
    const ours = lines(actual);
    return [
      ...theirs.filter((line) => !ours.includes(line)).map((line) => "-- " + line + "  (expected)"),
      ...ours.filter((line) => !theirs.includes(line)).map((line) => "++ " + line + "  (actual)"),
    ].join("\n");
  }

  const matches = (text, wanted) => (typeof wanted === "string" ? String(text).includes(wanted) : wanted.test(text));
  const typeName = (type) => type?.name ?? String(type);

  function thrownBy(fn) {
    try {
      const value = fn();
      if (value instanceof Promise) {
        value.catch(() => {});
        return { promise: value };
      }
      return { thrown: false };
    } catch (problem) {
      return { thrown: true, problem };
    }
  }

  function fits(problem, expects) {
    if (expects === undefined || typeof expects === "string") return true;
    if (expects instanceof RegExp) return expects.test(problem?.message ?? String(problem));
    if (expects === Error || expects.prototype instanceof Error) return problem instanceof expects;
    return Boolean(expects(problem));
  }

  // If the function returns a promise, the assertion also returns a promise, and the test must await it.
  function throws(fn, expects, message) {
    const words = typeof expects === "string" ? expects : message;
    const judge = ({ thrown, problem }) => {
      if (!thrown) fail(words, "Expected function to throw", "throws");
      if (!fits(problem, expects)) {
        fail(
          words,
          "Expected function to throw " +
            (typeof expects === "function" ? "what fits " + typeName(expects) : expects) +
            ", not " +
            inspect(problem),
          "throws",
          problem,
          expects,
        );
      }
    };
    const outcome = thrownBy(fn);
    if (outcome.promise === undefined) return judge(outcome);
    return outcome.promise.then(
      () => judge({ thrown: false }),
      (problem) => judge({ thrown: true, problem }),
    );
  }

  function doesNotThrow(fn, expects, message) {
    const words = typeof expects === "string" ? expects : message;
    const judge = ({ thrown, problem }) => {
      if (thrown && fits(problem, expects))
        fail(words, "Expected function not to throw " + inspect(problem), "not.throws", problem, expects);
    };
    const outcome = thrownBy(fn);
    if (outcome.promise === undefined) return judge(outcome);
    return outcome.promise.then(
      () => {},
      (problem) => judge({ thrown: true, problem }),
    );
  }

  const check = (holds, message, standard, operator, actual, expected, details) => {
    if (!holds) fail(message, standard(), operator, actual, expected, details);
  };
  const not = Object.assign((value, message) => not.ok(value, message), {
    ok: (value, message) =>
      check(!value, message, () => "Expected value to be falsy: " + inspect(value), "not", value, false),
    is: (actual, expected, message) =>
      check(
        !Object.is(actual, expected),
        message,
        () => "Expected values not to be strictly equal: " + inspect(actual),
        "is.not",
        actual,
        expected,
      ),
    equal: (actual, expected, message) =>
      check(
        !same(actual, expected),
        message,
        () => "Expected values not to be deeply equal: " + inspect(actual),
        "not.equal",
        actual,
        expected,
      ),
    type: (value, expected, message) =>
      check(
        typeof value !== expected,
        message,
        () => 'Expected "' + typeof value + '" not to be "' + expected + '"',
        "type.not",
        typeof value,
        expected,
      ),
    instance: (value, expected, message) =>
      check(
        !(value instanceof expected),
        message,
        () => "Expected value not to be an instance of " + typeName(expected),
        "instance.not",
        value,
        expected,
      ),
    match: (text, wanted, message) =>
      check(
        !matches(text, wanted),
        message,
        () => "Expected " + inspect(text) + " not to match " + String(wanted),
        "match.not",
        text,
        wanted,
      ),
    throws: doesNotThrow,
  });
  const assert = Object.assign((value, message) => assert.ok(value, message), {
    ok: (value, message) =>
      check(value, message, () => "Expected value to be truthy: " + inspect(value), "ok", value, true),
    is: (actual, expected, message) =>
      check(
        Object.is(actual, expected),
        message,
        () => "Expected " + inspect(actual) + " to be " + inspect(expected),
        "is",
        actual,
        expected,
      ),
    equal(actual, expected, message) {
      if (same(actual, expected)) return;
      const details = difference(actual, expected);
      fail(message, "Expected values to be deeply equal:\n" + details, "equal", actual, expected, details);
    },
    type: (value, expected, message) =>
      check(
        typeof value === expected,
        message,
        () => 'Expected "' + typeof value + '" to be "' + expected + '"',
        "type",
        typeof value,
        expected,
      ),
    instance: (value, expected, message) =>
      check(
        value instanceof expected,
        message,
        () => "Expected value to be an instance of " + typeName(expected) + ": " + inspect(value),
        "instance",
        value,
        expected,
      ),
    match: (text, wanted, message) =>
      check(
        matches(text, wanted),
        message,
        () => "Expected " + inspect(text) + " to match " + String(wanted),
        "match",
        text,
        wanted,
      ),
    throws,
    unreachable: (message) => fail(message, "Expected not to be reached", "unreachable", true, false),
    not,
  });
  assert.is.not = not.is;

  // ---- mocks -------------------------------------------------------------------------------------------------------

  let mocks = new Map();
  const keyOf = (backend, tool) => JSON.stringify([backend, tool]);

  setMocks((backend, tool, text) => {
    const mock = mocks.get(keyOf(backend, tool)) ?? mocks.get(keyOf("", tool));
    return mock === undefined ? undefined : { answer: () => mock.answer(backend, tool, text) };
  });

  // Returns the arguments of a call. A BigInt that a number cannot hold is a text with its digits.
  const argumentsOf = (text) => parse(host("exact", text));

  // Arguments and results pass through JSON, as for real tools.
  async function answered(value, backend, tool, text) {
    try {
      const answer = typeof value === "function" ? await value(argumentsOf(text)) : value;
      return parse(encode("answer", answer, MAX_JSON) ?? "null");
    } catch (problem) {
      if (problem instanceof ToolError) throw problem;
      throw toolError(
        { backend, tool, ordinal: 0, site: new kit.ErrorOf() },
        typeof problem?.code === "string" ? problem.code : "tool-failed",
        String(problem?.message ?? problem),
        problem?.retryable === true,
        null,
      );
    }
  }

  function mock(name, value) {
    if (typeof name !== "string") throw new TypeError("mock takes the name of a tool, and a function or a value");
    const [backend, tool] = parse(host("canonical", name));
    const key = keyOf(backend, tool);
    const calls = [];
    const earlier = mocks.get(key);
    mocks.set(key, {
      answer(ofBackend, ofTool, text) {
        calls.push(argumentsOf(text));
        return answered(value, ofBackend, ofTool, text);
      },
    });
    return Object.freeze({
      calls,
      restore() {
        if (earlier === undefined) mocks.delete(key);
        else mocks.set(key, earlier);
      },
    });
  }

  // ---- execution ---------------------------------------------------------------------------------------------------

  function errorOf(problem) {
    try {
      if (typeof problem !== "object" || problem === null || !("message" in problem))
        return cut("Uncaught " + inspect(problem), MAX_ERROR);
      const stack = typeof problem.stack === "string" ? host("stack", problem.stack) : "";
      const frames = stack.split("\n").filter((line) => line.startsWith("    at "));
      return cut([String(problem.name) + ": " + String(problem.message), ...frames].join("\n"), MAX_ERROR);
    } catch {
      return "Uncaught an error that cannot be read";
    }
  }

  // Rejects the current step when no pending call or timer can settle it.
  let giveUp;
  onStall(() => {
    const reject = giveUp;
    giveUp = undefined;
    if (reject !== undefined) reject(new kit.ErrorOf("It waits for a promise that nothing can settle any more"));
    return reject !== undefined;
  });

  async function attempt(steps) {
    for (const step of steps) {
      try {
        const hopeless = new PromiseOf((_, reject) => {
          giveUp = reject;
        });
        await race([step(), hopeless]);
      } catch (problem) {
        return errorOf(problem);
      } finally {
        giveUp = undefined;
      }
    }
    return null;
  }

  async function runOne(each) {
    const outer = mocks;
    mocks = new Map(outer);
    const start = now();
    const failed = await attempt([...hooks.beforeEach, each.fn]);
    const cleaning = await attempt(hooks.afterEach);
    mocks = outer;
    return ended(each.name, failed ?? cleaning, now() - start);
  }

  const ended = (name, error, durationMillis) => ({
    name,
    passed: error === null,
    skipped: false,
    error,
    durationMillis,
  });

  let size = 0;
  function bounded(result) {
    size += stringify(result.name).length + (result.error === null ? 0 : stringify(result.error).length);
    if (size > MAX_TEXT) {
      result.name = cut(result.name, BEGINNING);
      if (result.error !== null) result.error = cut(result.error, BEGINNING);
    }
    return result;
  }

  function report(results, broken) {
    let passed = 0;
    let failed = 0;
    for (const each of results) {
      if (each.passed) passed++;
      else if (!each.skipped) failed++;
    }
    const error =
      results.length === 0
        ? { code: "no-tests", message: "The test code declares no test" }
        : broken === null
          ? null
          : { code: "hook-failed", message: "after: " + broken };
    return {
      success: failed === 0 && error === null,
      summary: { total: results.length, passed, failed, skipped: results.length - passed - failed },
      tests: results,
      error,
    };
  }

  async function runAll() {
    closed = true;
    const only = tests.some((each) => each.how === "only");
    const results = [];
    const broken = await attempt(hooks.before);
    for (const each of tests) {
      // Names the running test, in case a limit ends the execution during it.
      host("progress", "" + results.length / tests.length, each.name);
      let result;
      if (each.how === "skip" || (only && each.how !== "only")) {
        result = { name: each.name, passed: false, skipped: true, error: null, durationMillis: 0 };
      } else if (broken !== null) result = ended(each.name, "before: " + broken, 0);
      else result = await runOne(each);
      results.push(bounded(result));
    }
    return report(results, await attempt(hooks.after));
  }

  const library = Object.freeze({ test, before, after, beforeEach: before.each, afterEach: after.each, assert, mock });

  // Returns an object with the names that the script declares. Runs the declarations if the tests mention one of them.
  async function declarationsOf(main, tests) {
    let declared = { __proto__: null };
    const start = (proceed) => {
      const declare = (names) => {
        declared = names;
        return proceed;
      };
      return main(
        globalThis.args,
        globalThis.context,
        requireModule,
        importModule,
        absentGlobals,
        openResources,
        spreadCalls,
        declare,
      );
    };
    await start(false);
    const words = new Set(String(tests).match(/[\p{ID_Continue}$]+/gu));
    if (!Object.keys(declared).some((name) => words.has(name))) return { __proto__: null };
    const warn = (problem) => {
      const reason = errorOf(problem);
      host("print", "err", "Warning: the tests see the script only up to its first error: " + reason + "\n");
    };
    await kit.runWithoutCalls(() => start(true), warn);
    return Object.freeze(declared);
  }

  // Runs the tests of a script. They call it as `main`, and see its declarations unless it is one tool call.
  async function run(main, tests, declares) {
    for (const name of Object.keys(library)) show(name, library[name]);
    show("main", async (args = globalThis.args, context = globalThis.context) =>
      main(args, context, requireModule, importModule, absentGlobals, openResources, spreadCalls),
    );
    if (typeof tests !== "function")
      throw new kit.TypeErrorOf("The tests are one tool call; they must be code that calls test");
    const scope = declares ? await declarationsOf(main, tests) : { __proto__: null };
    const absent = new Proxy(
      { __proto__: null },
      { __proto__: null, get: (_, name) => (name in scope ? scope[name] : absentGlobals[name]) },
    );
    await tests(scope)(
      globalThis.args,
      globalThis.context,
      requireModule,
      importModule,
      absent,
      openResources,
      spreadCalls,
    );
    return runAll();
  }

  return { library: Object.freeze({ ...library, run: runAll }), run };
});
