// require and import of library modules, evaluated as CommonJS once per context. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, part, refusal, refused, blocked, TypeErrorOf } = kit;
  const modules = new Map();
  const INSTEAD = {
    fs: "use artifacts or a tool",
    "fs/promises": "use artifacts or a tool",
    path: "there is no file system",
    http: "use an HTTP tool",
    https: "use an HTTP tool",
    net: "use a tool",
    child_process: "use a tool",
    os: "use context",
    process: "use args, context and env",
    crypto: "use the global crypto",
    url: "use the global URL",
    events: "use the global events",
    assert: 'use require("sallyport:test")',
    "timers/promises": "use sleep",
    util: "use console and structuredClone",
    buffer: "use Uint8Array, atob and btoa",
  };

  function require(name) {
    if (typeof name !== "string") throw new TypeErrorOf("require takes the name of a module");
    if (name === "sallyport:test") return part("testing").library;
    const id = host("module-id", name);
    if (id[0] === "!") {
      blocked("module", name);
      const plain = name.startsWith("node:") ? name.slice(5) : name;
      const instead = Object.hasOwn(INSTEAD, plain) ? INSTEAD[plain] + "; " : "";
      throw refusal(
        kit.ModuleNotAllowedError,
        "Module " +
          JSON.stringify(name.slice(0, 200)) +
          " is not available in a script: " +
          instead +
          id.slice(id.indexOf(" ") + 1),
        "module-not-allowed",
      );
    }
    const loaded = modules.get(id);
    if (loaded !== undefined) return loaded.exports;
    const code = host("module", id);
    if (typeof code === "string") throw refused(code);
    const module = { exports: {}, id, loaded: false };
    modules.set(id, module);
    try {
      code.call(module.exports, module.exports, kit.requireModule, module);
    } catch (problem) {
      modules.delete(id);
      throw problem;
    }
    module.loaded = true;
    return module.exports;
  }

  function namespace(name) {
    const exports = require(name);
    const space = { __proto__: null };
    const object = (typeof exports === "object" && exports !== null) || typeof exports === "function";
    if (object) for (const key of Object.keys(exports)) space[key] = exports[key];
    if (!object || exports.__esModule !== true || !("default" in exports)) space.default = exports;
    Object.defineProperty(space, Symbol.toStringTag, { value: "Module" });
    return Object.freeze(space);
  }

  return { require, namespace };
});
