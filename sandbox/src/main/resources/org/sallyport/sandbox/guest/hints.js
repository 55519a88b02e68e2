// Suggestions for error messages. Loaded when a script has failed.
(function (kit) {
  "use strict";
  const ELSEWHERE = {
    __proto__: null,
    process: "use args, context, env and console",
    Deno: "use tools",
    Bun: "use tools",
    Java: "use tools",
    Packages: "use tools",
    java: "use tools",
    Polyglot: "use tools",
    Graal: "use tools",
    window: "use globalThis",
    document: "use tools",
    navigator: "use context",
    self: "use globalThis",
    global: "use globalThis",
    localStorage: "use artifacts",
    WebAssembly: "write it in JavaScript",
    SharedArrayBuffer: "use ArrayBuffer",
    WeakRef: "use Map or WeakMap",
    FinalizationRegistry: "use try and finally",
    ShadowRealm: "use functions",
    Buffer: "use Uint8Array, TextEncoder, atob and btoa",
    module: "use return or export default",
    exports: "use return or export default",
    setImmediate: "use setTimeout(fn, 0)",
    __dirname: "there is no file system; use artifacts",
    __filename: "there is no file system; use artifacts",
    load: "use require of a registered module",
    print: "use console.log",
    quit: "use return",
    readline: "use args",
    alert: "use console.log",
    prompt: "use args",
    importScripts: "use require of a registered module",
  };
  // What a script uses in place of a tool of the MCP endpoint.
  const OF_THE_ENDPOINT = {
    __proto__: null,
    run_script: "the script calls tools itself, as tools.<backend>.<tool>(args)",
    submit_script: "the script calls tools itself, as tools.<backend>.<tool>(args)",
    run_capability: "use capabilities.<namespace>.<name>(args)",
    run_saved_script: "a script does not run saved scripts; publish it as a capability",
    run_tests: 'use require("sallyport:test")',
    run_batch: "use capabilities.<namespace>.<name>(args) for each row",
    batch_status: "a script does not see batches",
    cancel_batch: "a script does not see batches",
    execution_status: "a script does not see executions",
    cancel_execution: "a script does not see executions",
    list_executions: "a script does not see executions",
    list_saved_scripts: "a script does not see saved scripts",
    get_saved_script: "a script does not see saved scripts",
    delete_saved_script: "a script does not see saved scripts",
    emit_event: "use events.emit(name, data)",
    execute: "a script does not start executions; use capabilities.<namespace>.<name>(args)",
    search_tools: "use searchTools(words)",
    get_tool_interface: "use __getToolInterface(name) or describeTool(name)",
  };
  const MAX_PATHS = 3;
  // How the engine prints an accessor of the prelude.
  const ACCESSOR = "Proxy({}, {get: function get() { [native code] }, has: ";
  const UNDEFINED = /^(\S+) is not defined$/;
  const NOT_A_FUNCTION = /^([\p{L}_$][\p{L}\p{N}_$]*)\.(\S+) is not a function$/u;
  const NO_NAME = /^\(intermediate value\)\.(\S+) is not a function$/;
  const IMPORT = /^Operation is not allowed for: (.*)$/s;

  // Returns the number of edits between two words. A swap of adjacent characters counts as one edit.
  function distance(a, b) {
    const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        let best = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
          best = Math.min(best, rows[i - 2][j - 2] + 1);
        row.push(best);
      }
      rows.push(row);
    }
    return rows[a.length][b.length];
  }

  function nearest(word) {
    if (word.length > 60) return undefined;
    const most = word.length <= 3 ? 1 : 2;
    let found;
    let least = most + 1;
    for (const name of [...kit.identifiers(), ...Object.getOwnPropertyNames(globalThis)]) {
      if (Math.abs(name.length - word.length) > most) continue;
      const edits = distance(word.toLowerCase(), name.toLowerCase());
      if (edits < least) {
        least = edits;
        found = name;
      }
    }
    return found;
  }

  // Returns a hint if `name` is the name of a tool without that of its backend, or a tool of the MCP endpoint.
  function toolHint(name) {
    const paths = [];
    // The first look-up saves most failed scripts from loading the whole catalog.
    const backends = kit.host("interface", name) === "" ? {} : kit.part("catalog").__interfaces;
    for (const tools of Object.values(backends)) {
      for (const [id, tool] of Object.entries(tools)) if (id === name || tool.name === name) paths.push(tool.path);
    }
    if (paths.length > 0) {
      const calls = paths.slice(0, MAX_PATHS).map((path) => "tools." + path);
      return name + " is a tool: call it as " + calls.join(" or ") + (paths.length > MAX_PATHS ? " or …" : "");
    }
    return name in OF_THE_ENDPOINT
      ? name + " is a tool of the MCP endpoint, not of a script: " + OF_THE_ENDPOINT[name]
      : undefined;
  }

  // Returns a better message for an error with this text, or undefined if there is none.
  function explained(text, message) {
    const missing = UNDEFINED.exec(message);
    if (missing !== null && text.startsWith("ReferenceError")) {
      const name = missing[1];
      if (name in ELSEWHERE) {
        kit.blocked("global", name);
        return "PermissionDenied: " + name + " is not available in a script; " + ELSEWHERE[name];
      }
      const tool = toolHint(name);
      if (tool !== undefined) return text + ". " + tool;
      const meant = nearest(name);
      return meant === undefined ? undefined : text + ". Did you mean " + meant + "?";
    }
    const call = NOT_A_FUNCTION.exec(message);
    const tool = call !== null && (call[1] === "tools" || call[1] === "mcp") ? toolHint(call[2]) : undefined;
    if (tool !== undefined) return text + ". " + tool;
    if (call !== null && Object.hasOwn(kit.backends(), call[1])) {
      const own = kit.isOurs(call[1]) ? "a global of every script" : "a variable of your own here";
      return text + ". " + call[1] + " is " + own + ": the backend of that name is tools." + call[1];
    }
    if (message.startsWith(ACCESSOR) && message.endsWith(" is not a function"))
      return "TypeError: A backend or namespace is not a function: call one of its members, as tools.<backend>.<tool>";
    const member = NO_NAME.exec(message);
    if (member !== null) {
      const backend = Object.keys(kit.backends()).find(
        (name) => kit.isOurs(name) && kit.host("interface", name + "." + member[1]) !== "",
      );
      if (backend !== undefined)
        return text + ". The backend " + backend + " has such a tool: call it as tools." + backend + "." + member[1];
    }
    const module = IMPORT.exec(message);
    if (module !== null) {
      kit.blocked("module", module[1]);
      return (
        "ModuleNotAllowedError: Module " +
        JSON.stringify(module[1]) +
        " is not available in a script; use require of a registered module"
      );
    }
    return undefined;
  }

  return { explained, ELSEWHERE };
});
