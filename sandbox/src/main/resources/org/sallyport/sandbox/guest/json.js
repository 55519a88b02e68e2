// Writes JSON texts as JSON.stringify does, but without recursion. Loaded for values with more levels than the engine
// writes.
(function (kit) {
  "use strict";
  const { apply, stringify, TypeErrorOf, StringOf } = kit;
  const MAX_INDENT = 10;
  const isArray = Array.isArray;
  const { keys } = Object;
  const tagOf = Object.prototype.toString;
  const valueOfNumber = Number.prototype.valueOf;
  const valueOfString = String.prototype.valueOf;
  const valueOfBoolean = Boolean.prototype.valueOf;
  const valueOfBigInt = BigInt.prototype.valueOf;
  const { has, add, delete: remove } = Set.prototype;
  const NumberOf = Number;
  const SetOf = Set;

  // Returns whether `method` accepts the value: only objects that hold a primitive value of its type are accepted.
  function holds(method, value) {
    try {
      apply(method, value, []);
      return true;
    } catch {
      return false;
    }
  }

  function unwrapped(value) {
    if (holds(valueOfNumber, value)) return NumberOf(value);
    if (holds(valueOfString, value)) return StringOf(value);
    if (holds(valueOfBoolean, value)) return apply(valueOfBoolean, value, []);
    if (holds(valueOfBigInt, value)) return apply(valueOfBigInt, value, []);
    return value;
  }

  // Returns the value to write for `holder[key]`.
  function converted(holder, key, replacer) {
    let value = holder[key];
    if ((typeof value === "object" && value !== null) || typeof value === "bigint") {
      const convert = value.toJSON;
      if (typeof convert === "function") value = apply(convert, value, [key]);
    }
    if (replacer !== undefined) value = apply(replacer, holder, [key, value]);
    if (typeof value !== "object" || value === null) return value;
    // Other objects may hold a number, a text, a boolean or a BigInt.
    return isArray(value) || apply(tagOf, value, []) === "[object Object]" ? value : unwrapped(value);
  }

  function propertyList(replacer) {
    const names = new SetOf();
    for (let i = 0; i < replacer.length; i++) {
      const item = replacer[i];
      const object = typeof item === "object" && item !== null;
      if (
        typeof item === "string" ||
        typeof item === "number" ||
        (object && (holds(valueOfString, item) || holds(valueOfNumber, item)))
      ) {
        apply(add, names, [StringOf(item)]);
      }
    }
    return [...names];
  }

  function indentOf(given) {
    const space = typeof given === "object" && given !== null ? unwrapped(given) : given;
    if (typeof space === "number") return " ".repeat(Math.max(0, Math.min(MAX_INDENT, Math.trunc(space) || 0)));
    return typeof space === "string" ? space.slice(0, MAX_INDENT) : "";
  }

  return {
    stringify(root, replace, space) {
      const replacer = typeof replace === "function" ? replace : undefined;
      const names = replacer === undefined && isArray(replace) ? propertyList(replace) : undefined;
      const indent = indentOf(space);
      const colon = indent === "" ? ":" : ": ";
      // The objects and lists around the value that is written, from the outermost one.
      const open = [];
      const ancestors = new SetOf();
      let line = "\n";
      let text = "";

      function begin(value) {
        if (apply(has, ancestors, [value])) throw new TypeErrorOf("Converting circular structure to JSON");
        apply(add, ancestors, [value]);
        const list = isArray(value);
        const members = list ? undefined : (names ?? keys(value));
        text += list ? "[" : "{";
        line += indent;
        open.push({ value, list, members, length: list ? value.length : members.length, next: 0, empty: true });
      }

      // Writes a value, or the start of an object or a list. Returns false if JSON leaves the value out.
      function write(value, before) {
        const type = typeof value;
        if (type === "undefined" || type === "function" || type === "symbol") return false;
        if (type === "bigint") throw new TypeErrorOf("Do not know how to serialize a BigInt");
        text += before;
        if (type === "object" && value !== null) begin(value);
        else text += stringify(value);
        return true;
      }

      function close(level) {
        line = line.slice(0, line.length - indent.length);
        text += (level.empty || indent === "" ? "" : line) + (level.list ? "]" : "}");
        apply(remove, ancestors, [level.value]);
        open.pop();
      }

      if (!write(converted({ "": root }, "", replacer), "")) return undefined;
      while (open.length > 0) {
        const level = open[open.length - 1];
        if (level.next === level.length) {
          close(level);
          continue;
        }
        const key = level.list ? StringOf(level.next) : level.members[level.next];
        level.next++;
        const value = converted(level.value, key, replacer);
        const before = (level.empty ? "" : ",") + (indent === "" ? "" : line);
        const written = write(value, level.list ? before : before + stringify(key) + colon);
        if (!written && level.list) text += before + "null";
        if (written || level.list) level.empty = false;
      }
      return text;
    },
  };
});
