// The console, with the output format of Node. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, part } = kit;
  const now = Date.now;
  let indent = "";
  const counts = new Map();
  const started = new Map();

  function write(stream, text) {
    host("print", stream, indent === "" ? text + "\n" : indent + text.replaceAll("\n", "\n" + indent) + "\n");
  }

  function print(stream, values) {
    let text;
    if (values.length === 1 && typeof values[0] === "string") text = values[0];
    else {
      try {
        text = part("inspect").format(values);
      } catch {
        text = "[a value that cannot be shown]";
      }
    }
    write(stream, text);
  }

  const log = (...values) => print("out", values);
  const error = (...values) => print("err", values);

  function duration(millis) {
    if (millis < 1000) return Number(millis.toFixed(3)) + "ms";
    const seconds = millis / 1000;
    if (seconds < 60) return seconds.toFixed(3) + "s";
    const pad = (value) => String(Math.floor(value)).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    const rest = hours > 0 ? "" : "." + String(Math.floor(millis % 1000)).padStart(3, "0");
    return (
      (hours > 0 ? hours + ":" + pad((seconds / 60) % 60) : Math.floor(seconds / 60)) +
      ":" +
      pad(seconds % 60) +
      rest +
      (hours > 0 ? " (h:mm:ss)" : " (m:ss.mmm)")
    );
  }

  function elapsed(method, label, rest) {
    const name = label === undefined ? "default" : String(label);
    if (!started.has(name)) {
      error(`Warning: No such label '${name}' for console.${method}()`);
      return;
    }
    log("%s: %s", name, duration(now() - started.get(name)), ...rest);
  }

  const console = {
    log,
    info: log,
    debug: log,
    error,
    warn: error,
    dir: (value, options) => write("out", part("inspect").inspectWith(value, options)),
    dirxml: log,
    trace(...values) {
      const stack = host("stack", new kit.ErrorOf().stack);
      const frames = stack.indexOf("\n");
      const head = values.length === 0 ? "Trace" : "Trace: " + part("inspect").format(values);
      write("err", frames < 0 ? head : head + stack.slice(frames));
    },
    assert(condition, ...values) {
      if (condition) return;
      const [first, ...more] = values;
      if (values.length === 0) error("Assertion failed");
      else if (typeof first === "symbol") error("Assertion failed", ...values);
      else error("Assertion failed: " + first, ...more);
    },
    count(label) {
      const name = label === undefined ? "default" : String(label);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      log(name + ": " + counts.get(name));
    },
    countReset(label) {
      const name = label === undefined ? "default" : String(label);
      if (!counts.delete(name)) error(`Warning: Count for '${name}' does not exist`);
    },
    time(label) {
      const name = label === undefined ? "default" : String(label);
      if (started.has(name)) error(`Warning: Label '${name}' already exists for console.time()`);
      else started.set(name, now());
    },
    timeLog: (label, ...rest) => elapsed("timeLog", label, rest),
    timeEnd(label) {
      elapsed("timeEnd", label, []);
      started.delete(label === undefined ? "default" : String(label));
    },
    group(...values) {
      if (values.length > 0) log(...values);
      if (indent.length < 200) indent += "  ";
    },
    groupCollapsed(...values) {
      console.group(...values);
    },
    groupEnd() {
      indent = indent.slice(2);
    },
    table(rows, columns) {
      const drawn = typeof rows === "object" && rows !== null ? part("table").draw(rows, columns) : undefined;
      if (drawn === undefined) log(rows);
      else write("out", drawn);
    },
  };
  return { console };
});
