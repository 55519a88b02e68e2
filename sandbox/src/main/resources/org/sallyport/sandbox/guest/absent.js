// Stand-ins for globals of other runtimes: the use of a member says what to use instead. Loaded on first use.
(function (kit) {
  "use strict";
  const { part, refusal, blocked, PermissionDenied } = kit;
  const FILES = /^(ch|copy|create|cwd|file|link|lstat|m?k?dir|make|open|read|real|remove|rename|stat|truncate|write)/;
  const INSTEAD = {
    __proto__: null,
    args: "use args",
    argv: "use args",
    connect: "use a tool",
    env: "use env, args or context",
    exit: "use return",
    exitCode: "use return",
    fetch: "use an HTTP tool: see Object.keys(tools)",
    hrtime: "use performance.now()",
    nextTick: "use queueMicrotask",
    on: "use try and catch",
    sleep: "use sleep",
    stderr: "use console.error",
    stdin: "use args",
    stdout: "use console.log",
  };
  const standIns = { __proto__: null };

  function denied(name, member) {
    const key = typeof member === "string" ? member : "";
    const other = FILES.test(key) ? "use artifacts or a tool" : part("hints").ELSEWHERE[name];
    const path = key === "" ? name : name + "." + key.slice(0, 100);
    blocked("global", path);
    return refusal(PermissionDenied, path + " is not available in a script; " + (INSTEAD[key] ?? other));
  }

  function standIn(name) {
    const deny = (_, member) => {
      throw denied(name, member);
    };
    return (standIns[name] ??= new Proxy(Object.freeze({ __proto__: null }), {
      __proto__: null,
      get: deny,
      set: deny,
      has: deny,
      deleteProperty: deny,
      defineProperty: deny,
      getOwnPropertyDescriptor: deny,
    }));
  }

  return { standIn };
});
