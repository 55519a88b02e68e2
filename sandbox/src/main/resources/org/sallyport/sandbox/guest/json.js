// Writes JSON texts as JSON.stringify does, but without recursion. Loaded for values with more levels than the engine
// writes. As in the prelude, no function is used that a script may have changed.
(function (kit) {
  "use strict";
  const { apply, stringify, put, isArray, keysOf, tagOf, slice, TypeErrorOf, StringOf, NumberOf } = kit;
  const { valueOfNumber, valueOfString, valueOfBoolean, valueOfBigInt, WeakMapOf, MapGet, MapSet } = kit;
  const MAX_INDENT = 10;
  const MAX_LENGTH = 9007199254740991;

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

  // Returns false if the object certainly holds no primitive value. Runs no trap of a proxy.
  function mayHoldPrimitive(value) {
    if (isArray(value) || kit.proxyTargetOf(value) !== undefined) return false;
    try {
      return apply(tagOf, value, []) !== "[object Object]";
    } catch {
      return true;
    }
  }

  // Returns the value to write for `holder[key]`.
  function converted(holder, key, replacer) {
    let value = holder[key];
    if ((typeof value === "object" && value !== null) || typeof value === "function" || typeof value === "bigint") {
      const convert = value.toJSON;
      if (typeof convert === "function") value = apply(convert, value, [key]);
    }
    if (replacer !== undefined) value = apply(replacer, holder, [key, value]);
    return typeof value === "object" && value !== null && mayHoldPrimitive(value) ? unwrapped(value) : value;
  }

  // Returns the length of a list or of a proxy of a list, whose length may be any value.
  function lengthOf(list) {
    const length = +list.length;
    if (!(length >= 1)) return 0;
    return length < MAX_LENGTH ? length - (length % 1) : MAX_LENGTH;
  }

  function propertyList(replacer) {
    const names = [];
    const known = { __proto__: null };
    const length = lengthOf(replacer);
    for (let i = 0; i < length; i++) {
      const item = replacer[i];
      const object = typeof item === "object" && item !== null;
      if (
        typeof item === "string" ||
        typeof item === "number" ||
        (object && (holds(valueOfString, item) || holds(valueOfNumber, item)))
      ) {
        const name = StringOf(item);
        if (!(name in known)) put(names, names.length, name);
        known[name] = true;
      }
    }
    return names;
  }

  function indentOf(given) {
    const space = typeof given === "object" && given !== null ? unwrapped(given) : given;
    if (typeof space === "string") return apply(slice, space, [0, MAX_INDENT]);
    let indent = "";
    if (typeof space === "number") for (let i = 1; i <= space && i <= MAX_INDENT; i++) indent += " ";
    return indent;
  }

  return {
    stringify(root, replace, space) {
      const replacer = typeof replace === "function" ? replace : undefined;
      const names = replacer === undefined && isArray(replace) ? propertyList(replace) : undefined;
      const indent = indentOf(space);
      const colon = indent === "" ? ":" : ": ";
      // The object or list that is being written; `outer` is the one around it.
      let level;
      // The objects and lists that are open have the value true.
      const ancestors = new WeakMapOf();
      let line = "\n";
      let text = "";

      function begin(value) {
        if (apply(MapGet, ancestors, [value]) === true) {
          throw new TypeErrorOf("Converting circular structure to JSON");
        }
        apply(MapSet, ancestors, [value, true]);
        const list = isArray(value);
        const members = list ? undefined : (names ?? keysOf(value));
        const length = list ? lengthOf(value) : members.length;
        text += list ? "[" : "{";
        line += indent;
        level = { __proto__: null, outer: level, value, list, members, length, next: 0, empty: true };
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

      function close() {
        line = apply(slice, line, [0, line.length - indent.length]);
        text += (level.empty || indent === "" ? "" : line) + (level.list ? "]" : "}");
        apply(MapSet, ancestors, [level.value, false]);
        level = level.outer;
      }

      if (!write(converted({ "": root }, "", replacer), "")) return undefined;
      while (level !== undefined) {
        if (level.next === level.length) {
          close();
          continue;
        }
        const current = level;
        const key = current.list ? "" + current.next : current.members[current.next];
        current.next++;
        const value = converted(current.value, key, replacer);
        const before = (current.empty ? "" : ",") + (indent === "" ? "" : line);
        const written = write(value, current.list ? before : before + stringify(key) + colon);
        if (!written && current.list) text += before + "null";
        if (written || current.list) current.empty = false;
      }
      return text;
    },
  };
});
