// Formats values for the console, as Node does. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, proxyTargetOf } = kit;
  const WIDTH = 80;
  const DEPTH = 2;
  const MAX_DEPTH = 30;
  const MAX_ITEMS = 100;
  const MAX_STRING = 10000;
  // Characters per value; longer text is cut. Searches that take more than LONG steps are skipped or shortened.
  const MAX_TEXT = 10240;
  const LONG = 1000;
  const IDENTIFIER = /^[A-Za-z_][A-Za-z_0-9]*$/;
  const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\", "\x0B": "\\x0B" };

  function quoted(text) {
    const quote = !text.includes("'")
      ? "'"
      : !text.includes('"')
        ? '"'
        : !text.includes("`") && !text.includes("${")
          ? "`"
          : "'";
    let out = quote;
    for (let i = 0; i < text.length; i++) {
      const char = text[i];
      const code = text.charCodeAt(i);
      if (char === quote) out += "\\" + char;
      else if (char in ESCAPES) out += ESCAPES[char];
      else if (code < 32 || (code >= 127 && code < 160))
        out += "\\x" + code.toString(16).toUpperCase().padStart(2, "0");
      else if (code >= 0xd800 && code <= 0xdfff) {
        const pair = code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
        out += pair ? char + text[++i] : "\\u" + code.toString(16);
      } else out += char;
    }
    return out + quote;
  }

  function number(value) {
    return Object.is(value, -0) ? "-0" : String(value);
  }

  function typeName(value) {
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      const found = Object.getOwnPropertyDescriptor(at, "constructor");
      if (found !== undefined && typeof found.value === "function" && found.value.name !== "") return found.value.name;
    }
    return null;
  }

  function functionText(value) {
    const type = typeName(value);
    let source = "";
    try {
      source = Function.prototype.toString.call(value);
    } catch {}
    const found = Object.getOwnPropertyDescriptor(value, "name");
    const name = typeof found?.value === "string" ? found.value : "";
    if (/^class\b/.test(source)) {
      const parent = Object.getPrototypeOf(value);
      const extended =
        parent !== Function.prototype && parent?.name
          ? " extends " + parent.name
          : parent === null
            ? " extends null"
            : "";
      return "[class " + (name === "" ? "(anonymous)" : name) + extended + "]";
    }
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    const text = "[" + kind + (name === "" ? " (anonymous)" : ": " + name) + "]";
    return type === null ? "[" + kind + " (null prototype)" + text.slice(kind.length + 1) : text;
  }

  // Returns the tag to print after the name of the type, or "" for none. A getter of the script may throw.
  function tagOf(value, type) {
    try {
      const tag = value[Symbol.toStringTag];
      if (typeof tag !== "string" || tag === "" || tag === type) return "";
      return Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag) ? "" : tag;
    } catch {
      return "";
    }
  }

  // Checks of the built-in type of a value. They do not rely on its tag or the name of its constructor.
  const SIZE_OF_MAP = Object.getOwnPropertyDescriptor(Map.prototype, "size").get;
  const SIZE_OF_SET = Object.getOwnPropertyDescriptor(Set.prototype, "size").get;
  const NATURES = {
    Map: (value) => SIZE_OF_MAP.call(value),
    Set: (value) => SIZE_OF_SET.call(value),
    Date: (value) => Date.prototype.getTime.call(value),
    RegExp: (value) => RegExp.prototype.exec.call(value, ""),
    Number: (value) => Number.prototype.valueOf.call(value),
    String: (value) => String.prototype.valueOf.call(value),
    Boolean: (value) => Boolean.prototype.valueOf.call(value),
    BigInt: (value) => BigInt.prototype.valueOf.call(value),
    Symbol: (value) => Symbol.prototype.valueOf.call(value),
    Promise: (value) => value instanceof Promise,
    WeakMap: (value) => WeakMap.prototype.has.call(value, value),
    WeakSet: (value) => WeakSet.prototype.has.call(value, value),
    ArrayBuffer: (value) => ArrayBuffer.prototype.slice.call(value, 0, 0),
    DataView: (value) => ArrayBuffer.isView(value),
  };

  function natureOf(value) {
    if (value instanceof Error) return "Error";
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (tag === "Error") return "Error";
    for (const name of [tag, typeName(value)]) {
      if (name === null || !Object.hasOwn(NATURES, name)) continue;
      try {
        if (NATURES[name](value) !== false || name === "Boolean" || name === "WeakMap" || name === "WeakSet")
          return name;
      } catch {}
    }
    if (value instanceof Map && brand("Map", value)) return "Map";
    if (value instanceof Set && brand("Set", value)) return "Set";
    return "Object";
  }

  function brand(name, value) {
    try {
      NATURES[name](value);
      return true;
    } catch {
      return false;
    }
  }

  class Writer {
    constructor(depth) {
      this.depth = depth;
      this.open = [];
      this.circular = new Map();
      this.indent = 0;
      this.deepest = 0;
      this.left = MAX_TEXT;
    }

    // Subtracts the text from the characters that are left. When none are left, the writer visits no more values.
    spent(text) {
      this.left -= text.length;
      return text;
    }

    value(given, level) {
      let value = given;
      for (let target = proxyTargetOf(value); target !== undefined; target = proxyTargetOf(value)) value = target;
      switch (typeof value) {
        case "string":
          return this.spent(this.string(value));
        case "number":
          return this.spent(number(value));
        case "bigint":
          return this.spent(value + "n");
        case "symbol":
          return this.spent(Symbol.prototype.toString.call(value));
        case "undefined":
        case "boolean":
          return this.spent(String(value));
        case "function":
          return this.keysOf(value).length === 0 ? this.spent(functionText(value)) : this.object(value, level);
      }
      return value === null ? this.spent("null") : this.object(value, level);
    }

    string(text) {
      const cut = text.length > MAX_STRING ? "... " + (text.length - MAX_STRING) + " more characters" : "";
      return quoted(cut === "" ? text : text.slice(0, MAX_STRING)) + cut;
    }

    object(value, level) {
      if (this.open.includes(value)) {
        if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
        return "[Circular *" + this.circular.get(value) + "]";
      }
      const shape = this.shapeOf(value);
      if (shape.whole !== undefined && shape.keys.length === 0) return shape.whole;
      if (shape.keys.length === 0 && this.isEmpty(shape, value)) return shape.open + shape.close;
      if (level > this.depth)
        return this.spent("[" + (Array.isArray(value) ? "Array" : (shape.type ?? "Object: null prototype")) + "]");
      this.open.push(value);
      this.deepest = level;
      this.indent += 2;
      const items = shape.items === undefined ? [] : shape.items(level + 1);
      for (const key of shape.keys) {
        if (this.left <= 0) {
          items.push("... more");
          break;
        }
        items.push(this.member(value, key, level + 1));
      }
      this.indent -= 2;
      this.open.pop();
      const reference = this.circular.has(value) ? "<ref *" + this.circular.get(value) + "> " : "";
      return reference + this.layout(shape, items, level);
    }

    isEmpty(shape, value) {
      if (shape.base !== undefined || shape.always) return false;
      if (Array.isArray(value)) return value.length === 0;
      return shape.size === undefined || shape.size === 0;
    }

    member(value, key, level) {
      const found = Object.getOwnPropertyDescriptor(value, key);
      const name = this.spent(
        typeof key === "symbol"
          ? "[" + key.toString() + "]"
          : key === "__proto__"
            ? "['__proto__']"
            : IDENTIFIER.test(key)
              ? key
              : quoted(key),
      );
      if (found === undefined) return name + ": undefined";
      if (found.get !== undefined) return name + ": " + (found.set === undefined ? "[Getter]" : "[Getter/Setter]");
      if (found.set !== undefined) return name + ": [Setter]";
      return name + ": " + this.value(found.value, level);
    }

    keysOf(value) {
      const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
        Object.prototype.propertyIsEnumerable.call(value, key),
      );
      return Object.keys(value).concat(symbols);
    }

    // Returns the keys of a list that are not indexes. For long lists it returns none, because the search takes long.
    namesOf(list) {
      return list.length > LONG
        ? []
        : this.keysOf(list).filter((key) => typeof key === "symbol" || !/^(?:0|[1-9]\d*)$/.test(key));
    }

    shapeOf(value) {
      const type = typeName(value);
      if (Array.isArray(value)) {
        const head = type === "Array" ? "" : (type ?? "[Array: null prototype]") + "(" + value.length + ") ";
        return {
          type,
          keys: this.namesOf(value),
          open: head + "[",
          close: "]",
          list: true,
          items: (level) => this.elements(value, level),
        };
      }
      if (ArrayBuffer.isView(value) && typeof value.length === "number") {
        const kind = Object.prototype.toString.call(value).slice(8, -1);
        const own = type === kind ? "" : ` [${kind}]`;
        return {
          type,
          keys: this.namesOf(value),
          open: `${type ?? kind}(${value.length})${own} [`,
          close: "]",
          list: true,
          size: value.length,
          items: (level) => this.elements(value, level),
        };
      }
      const keys = this.keysOf(value);
      if (typeof value === "function") return { type, keys, base: functionText(value), open: "{", close: "}" };
      const nature = natureOf(value);
      const named = (plain) => (type === plain ? "" : type === null ? `[${plain}: null prototype] ` : type + " ");
      const sized = (size) =>
        `${type ?? `[${nature}: null prototype]`}(${size}) ${type === nature || type === null ? "" : `[${nature}] `}{`;
      switch (nature) {
        case "Error":
          return this.errorShape(value, keys);
        case "Date":
          return this.whole(
            type,
            keys,
            isNaN(Date.prototype.getTime.call(value)) ? "Invalid Date" : Date.prototype.toISOString.call(value),
          );
        case "RegExp":
          return this.whole(type, keys, RegExp.prototype.toString.call(value));
        case "Number":
        case "String":
        case "Boolean":
        case "BigInt":
        case "Symbol": {
          const inner = NATURES[nature](value);
          const text =
            "[" +
            nature +
            (type === nature || type === null ? "" : ` (${type})`) +
            ": " +
            (nature === "Symbol" ? Symbol.prototype.toString.call(inner) : this.value(inner, 0)) +
            "]";
          return this.whole(
            type,
            nature === "String" ? keys.filter((key) => typeof key === "symbol" || !/^\d+$/.test(key)) : keys,
            text,
          );
        }
        // The engine does not expose the state of a promise.
        case "Promise":
          return { type, keys, always: true, open: "Promise {", close: "}", items: () => ["<state unknown>"] };
        case "Map":
          return {
            type,
            keys,
            size: SIZE_OF_MAP.call(value),
            open: sized(SIZE_OF_MAP.call(value)),
            close: "}",
            items: (level) => this.entries(value, level),
          };
        case "Set":
          return {
            type,
            keys,
            size: SIZE_OF_SET.call(value),
            open: sized(SIZE_OF_SET.call(value)),
            close: "}",
            items: (level) => this.members(value, level),
          };
        case "WeakMap":
        case "WeakSet":
          return this.whole(type, keys, nature + " { <items unknown> }");
        case "ArrayBuffer":
          return { type, keys, always: true, open: "ArrayBuffer {", close: "}", items: () => this.buffer(value) };
        case "DataView":
          return {
            type,
            keys,
            always: true,
            open: "DataView {",
            close: "}",
            items: (level) => [
              "byteLength: " + value.byteLength,
              "byteOffset: " + value.byteOffset,
              "buffer: " + this.value(value.buffer, level),
            ],
          };
      }
      const tag = tagOf(value, type);
      if (tag !== "") return { type, keys, open: `${type ?? "[Object: null prototype]"} [${tag}] {`, close: "}" };
      if (type === "Object" && Object.prototype.toString.call(value) === "[object Arguments]") {
        return { type, keys, open: "[Arguments] {", close: "}" };
      }
      return { type, keys, open: named("Object") + "{", close: "}" };
    }

    whole(type, keys, text) {
      return { type, keys, whole: this.spent(text), base: text, open: "{", close: "}" };
    }

    buffer(value) {
      const bytes = new Uint8Array(value, 0, Math.min(50, value.byteLength));
      const shown = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const more = value.byteLength - bytes.length;
      return [
        `[Uint8Contents]: <${shown}${more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : ""}>`,
        "byteLength: " + value.byteLength,
      ];
    }

    errorShape(value, keys) {
      const text = this.spent(this.errorText(value));
      const padded = this.indent === 0 ? text : text.replaceAll("\n", "\n" + " ".repeat(this.indent));
      const shown = keys.filter(
        (key) => !["stack", "message", "name"].includes(key) || !text.includes(String(value[key])),
      );
      const hidden = [];
      for (const name of ["cause", "errors"])
        if (Object.hasOwn(value, name) && !shown.includes(name)) hidden.push(name);
      const items =
        hidden.length === 0
          ? undefined
          : (level) =>
              hidden.map(
                (name) => `[${name}]: ` + this.value(Object.getOwnPropertyDescriptor(value, name).value, level),
              );
      return {
        type: typeName(value),
        keys: shown,
        whole: items === undefined ? padded : undefined,
        base: padded,
        open: "{",
        close: "}",
        items,
      };
    }

    errorText(value) {
      let stack = "";
      try {
        stack = typeof value.stack === "string" ? value.stack : "";
      } catch {}
      if (stack !== "") stack = host("stack", stack);
      if (stack === "") {
        try {
          stack = Error.prototype.toString.call(value);
        } catch {
          stack = "<error that cannot be read>";
        }
      }
      const type = typeName(value);
      const name = typeof value.name === "string" ? value.name : type;
      // A subclass in the script that sets no name is printed with the name of its class.
      if (type !== null && type !== name && name === "Error" && stack.startsWith("Error") && type.endsWith("Error"))
        stack = type + stack.slice(5);
      return stack.includes("\n    at ") ? stack : "[" + stack + "]";
    }

    elements(value, level) {
      const out = [];
      let i = 0;
      while (i < value.length && out.length < MAX_ITEMS && this.left > 0) {
        const found = Object.getOwnPropertyDescriptor(value, i);
        if (found === undefined) {
          const end = this.afterHoles(value, i);
          out.push(`<${end - i} empty item${end - i > 1 ? "s" : ""}>`);
          i = end;
        } else {
          out.push(
            "value" in found
              ? this.value(found.value, level)
              : found.get === undefined
                ? "[Setter]"
                : found.set === undefined
                  ? "[Getter]"
                  : "[Getter/Setter]",
          );
          i++;
        }
      }
      const left = value.length - i;
      if (left > 0) out.push(`... ${left} more item${left > 1 ? "s" : ""}`);
      return out;
    }

    afterHoles(value, start) {
      let end = start + 1;
      while (end < value.length && end - start < LONG && !Object.hasOwn(value, end)) end++;
      if (end === value.length || end - start < LONG) return end;
      const next = Object.keys(value).find((key) => Number(key) > start);
      return next === undefined || !/^\d+$/.test(next) ? value.length : Number(next);
    }

    members(set, level) {
      const out = [];
      const each = Set.prototype.values.call(set);
      for (let next = each.next(); !next.done; next = each.next()) {
        if (out.length === MAX_ITEMS || this.left <= 0) {
          const left = SIZE_OF_SET.call(set) - out.length;
          out.push(`... ${left} more item${left > 1 ? "s" : ""}`);
          break;
        }
        out.push(this.value(next.value, level));
      }
      return out;
    }

    entries(map, level) {
      const out = [];
      const each = Map.prototype.entries.call(map);
      for (let next = each.next(); !next.done; next = each.next()) {
        if (out.length === MAX_ITEMS || this.left <= 0) {
          const left = SIZE_OF_MAP.call(map) - out.length;
          out.push(`... ${left} more item${left > 1 ? "s" : ""}`);
          break;
        }
        out.push(this.value(next.value[0], level) + " => " + this.value(next.value[1], level));
      }
      return out;
    }

    // Returns one line if it is short and not nested too deeply, else one item per line.
    layout(shape, items, level) {
      const base = shape.base === undefined ? "" : shape.base + " ";
      if (items.length === 0)
        return base === "" ? shape.open + shape.close : shape.base + " " + shape.open + shape.close;
      const rows = shape.list && items.length > 6 ? this.columns(items) : items;
      if (this.deepest - level < 3 && rows === items) {
        const length =
          items.reduce((sum, item) => sum + item.length, 0) +
          items.length * 2 +
          this.indent +
          shape.open.length +
          (shape.base ?? "").length +
          10;
        if (length <= WIDTH && !items.some((item) => item.includes("\n")) && !base.includes("\n")) {
          return `${base}${shape.open} ${items.join(", ")} ${shape.close}`;
        }
      }
      const pad = "\n" + " ".repeat(this.indent);
      return `${base}${shape.open}${pad}  ${rows.join("," + pad + "  ")}${pad}${shape.close}`;
    }

    // Arranges many short items of a list in columns.
    columns(items) {
      const counted = items[items.length - 1].startsWith("... ") ? items.length - 1 : items.length;
      const lengths = items.slice(0, counted).map((item) => item.length + 2);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const widest = Math.max(...lengths);
      if (widest * 3 + this.indent >= WIDTH || !(total / widest > 5 || widest <= 8)) return items;
      if (items.some((item) => item.includes("\n"))) return items;
      const bias = Math.sqrt(widest - total / items.length);
      const average = Math.max(widest - 3 - bias, 1);
      const count = Math.min(
        Math.round(Math.sqrt(2.5 * average * counted) / average),
        Math.floor((WIDTH - this.indent) / widest),
        12,
      );
      if (count <= 1) return items;
      const widths = [];
      for (let column = 0; column < count; column++) {
        let width = 0;
        for (let i = column; i < counted; i += count) width = Math.max(width, lengths[i]);
        widths.push(width);
      }
      const numeric = items.slice(0, counted).every((item) => /^-?[\d.]+(?:e[+-]?\d+)?n?$/.test(item));
      const rows = [];
      for (let start = 0; start < counted; start += count) {
        const end = Math.min(start + count, counted);
        let row = "";
        for (let i = start; i < end; i++) {
          const last = i === end - 1;
          const text = last ? items[i] : items[i] + ", ";
          const width = last ? widths[i - start] - 2 : widths[i - start];
          row += numeric ? text.padStart(width) : last ? text : text.padEnd(width);
        }
        rows.push(row);
      }
      if (counted < items.length) rows.push(items[counted]);
      return rows;
    }
  }

  function inspect(value, depth = DEPTH) {
    const text = new Writer(depth).value(value, 0);
    return text.length > MAX_TEXT
      ? text.slice(0, MAX_TEXT) + "... " + (text.length - MAX_TEXT) + " more characters"
      : text;
  }

  function inspectWith(value, options) {
    const depth = options?.depth;
    return inspect(
      value,
      depth === null || depth === Infinity ? MAX_DEPTH : typeof depth === "number" ? Math.min(depth, MAX_DEPTH) : DEPTH,
    );
  }

  function shown(value) {
    return typeof value === "string" ? value : inspect(value);
  }

  function asText(value) {
    switch (typeof value) {
      case "bigint":
        return value + "n";
      case "number":
        return number(value);
      case "symbol":
        return Symbol.prototype.toString.call(value);
      case "object":
      case "function":
        break;
      default:
        return String(value);
    }
    if (value === null) return "null";
    return hasOwnText(value) ? String(value) : typeof value === "function" ? functionSource(value) : inspect(value, 0);
  }

  function functionSource(value) {
    return Function.prototype.toString.call(value);
  }

  // Returns whether the script defines a conversion to text for the value.
  function hasOwnText(value) {
    if (proxyTargetOf(value) !== undefined) return false;
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      if (at === Object.prototype || at === Array.prototype || at === Function.prototype) return false;
      if (Object.hasOwn(at, "toString") || Object.hasOwn(at, Symbol.toPrimitive)) {
        const made = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
        return at === value || typeof made !== "function" || !BUILT_IN.has(made);
      }
    }
    return false;
  }

  const BUILT_IN = new Set([
    Object,
    Array,
    Map,
    Set,
    RegExp,
    Function,
    Promise,
    Number,
    String,
    Boolean,
    Symbol,
    BigInt,
    Date,
    Error,
  ]);

  function directive(letter, value) {
    switch (letter) {
      case "s":
        return asText(value);
      case "d":
        return typeof value === "bigint" ? value + "n" : typeof value === "symbol" ? "NaN" : number(Number(value));
      case "i":
        return typeof value === "bigint"
          ? value + "n"
          : typeof value === "symbol"
            ? "NaN"
            : number(parseInt(value, 10));
      case "f":
        return typeof value === "symbol" ? "NaN" : number(parseFloat(value));
      case "j":
        try {
          return String(JSON.stringify(value));
        } catch (problem) {
          if (String(problem?.message).includes("circular")) return "[Circular]";
          throw problem;
        }
      case "o":
        return inspect(value, 4);
      case "O":
        return inspect(value);
      default:
        return "";
    }
  }

  function format(values) {
    let next = 0;
    let text = "";
    if (typeof values[0] === "string") {
      next = 1;
      text =
        values.length === 1
          ? values[0]
          : values[0].replace(/%([sdifjoOc%])/g, (found, letter) => {
              if (letter === "%") return "%";
              return next < values.length ? directive(letter, values[next++]) : found;
            });
    } else if (values.length > 0) text = shown(values[next++]);
    while (next < values.length) text += " " + shown(values[next++]);
    return text;
  }

  return { format, inspect, inspectWith };
});
