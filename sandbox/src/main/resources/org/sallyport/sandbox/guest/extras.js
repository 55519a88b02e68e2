// Functions of other runtimes that the engine lacks. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, part, TypeErrorOf } = kit;
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  function failure(name, message) {
    return new (part("web").DOMException)(message, name);
  }

  function btoa(data) {
    const text = String(data);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 255) throw failure("InvalidCharacterError", "btoa: the text holds a character above U+00FF");
      bytes[i] = code;
    }
    return host("base64", bytes.buffer);
  }

  function atob(data) {
    const all = String(data).replace(/[\t\n\f\r ]/g, "");
    const text = all.length % 4 === 0 ? all.replace(/={1,2}$/, "") : all;
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text))
      throw failure("InvalidCharacterError", "atob: the text is not base64");
    let out = "";
    let bits = 0;
    let count = 0;
    for (let i = 0; i < text.length; i++) {
      bits = ((bits << 6) | ALPHABET.indexOf(text[i])) & 0xffffff;
      count += 6;
      if (count >= 8) {
        count -= 8;
        out += String.fromCharCode((bits >> count) & 255);
      }
    }
    return out;
  }

  function bytesOf(value) {
    if (ArrayBuffer.isView(value)) {
      const bytes = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
      return { base64: host("base64", bytes), type: Object.prototype.toString.call(value).slice(8, -1) };
    }
    if (value instanceof ArrayBuffer) return { base64: host("base64", value), type: "ArrayBuffer" };
    return undefined;
  }

  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function structuredClone(value, { transfer } = {}) {
    if (transfer !== undefined && transfer.length > 0)
      throw failure("DataCloneError", "Transfer is not available in a script.");
    const seen = new Map();
    const refuse = (what) => {
      throw failure("DataCloneError", what + " could not be cloned.");
    };
    const remember = (original, copy) => {
      seen.set(original, copy);
      return copy;
    };
    function clone(original) {
      if (typeof original === "function" || typeof original === "symbol") refuse(String(original));
      if (typeof original !== "object" || original === null) return original;
      if (seen.has(original)) return seen.get(original);
      switch (Object.prototype.toString.call(original).slice(8, -1)) {
        case "Array": {
          const copy = remember(original, new Array(original.length));
          for (const key of Object.keys(original)) copy[key] = clone(original[key]);
          return copy;
        }
        case "Date":
          return remember(original, new Date(original.getTime()));
        case "RegExp":
          return remember(original, new RegExp(original.source, original.flags));
        case "Boolean":
        case "Number":
        case "String":
          return remember(original, Object(original.valueOf()));
        case "Map": {
          const copy = remember(original, new Map());
          original.forEach((item, key) => copy.set(clone(key), clone(item)));
          return copy;
        }
        case "Set": {
          const copy = remember(original, new Set());
          original.forEach((item) => copy.add(clone(item)));
          return copy;
        }
        case "ArrayBuffer":
          return remember(original, original.slice(0));
        case "Error": {
          const copy = remember(original, new (ERRORS[original.name] ?? Error)(original.message));
          if ("cause" in original) copy.cause = clone(original.cause);
          return copy;
        }
        case "Promise":
        case "WeakMap":
        case "WeakSet":
          refuse("#<" + original.constructor?.name + ">");
      }
      if (ArrayBuffer.isView(original)) {
        const buffer = clone(original.buffer);
        const length = original instanceof DataView ? original.byteLength : original.length;
        return remember(original, new original.constructor(buffer, original.byteOffset, length));
      }
      const copy = remember(original, {});
      for (const key of Object.keys(original)) copy[key] = clone(original[key]);
      return copy;
    }
    if (arguments.length === 0) throw new TypeErrorOf("structuredClone needs a value");
    return clone(value);
  }

  return { btoa, atob, structuredClone, bytesOf };
});
