// Functions of other runtimes that the engine lacks. Read on first use.
(function (kit) {
  'use strict';
  const { TypeErrorOf, ErrorOf } = kit;
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

  function encodeBytes(at, length) {
    const chunks = [];
    let text = '';
    for (let i = 0; i < length; i += 3) {
      const bits = (at(i) << 16) | ((i + 1 < length ? at(i + 1) : 0) << 8) | (i + 2 < length ? at(i + 2) : 0);
      text += ALPHABET[bits >> 18] + ALPHABET[(bits >> 12) & 63]
        + (i + 1 < length ? ALPHABET[(bits >> 6) & 63] : '=') + (i + 2 < length ? ALPHABET[bits & 63] : '=');
      if (text.length > 4096) {
        chunks.push(text);
        text = '';
      }
    }
    chunks.push(text);
    return chunks.join('');
  }

  function btoa(data) {
    const text = String(data);
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) > 255) throw new ErrorOf('btoa: the text holds a character above U+00FF');
    }
    return encodeBytes((i) => text.charCodeAt(i), text.length);
  }

  function atob(data) {
    const text = String(data).replace(/[\t\n\f\r ]/g, '').replace(/={1,2}$/, '');
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new ErrorOf('atob: the text is not base64');
    let out = '';
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
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return { base64: encodeBytes((i) => bytes[i], bytes.length), type: Object.prototype.toString.call(value).slice(8, -1) };
    }
    if (value instanceof ArrayBuffer) {
      const bytes = new Uint8Array(value);
      return { base64: encodeBytes((i) => bytes[i], bytes.length), type: 'ArrayBuffer' };
    }
    return undefined;
  }

  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function structuredClone(value) {
    const seen = new Map();
    const refuse = (what) => {
      const error = new ErrorOf(what + ' could not be cloned.');
      error.name = 'DataCloneError';
      throw error;
    };
    const remember = (original, copy) => {
      seen.set(original, copy);
      return copy;
    };
    function clone(original) {
      if (typeof original === 'function' || typeof original === 'symbol') refuse(String(original));
      if (typeof original !== 'object' || original === null) return original;
      if (seen.has(original)) return seen.get(original);
      switch (Object.prototype.toString.call(original).slice(8, -1)) {
        case 'Array': {
          const copy = remember(original, new Array(original.length));
          for (const key of Object.keys(original)) copy[key] = clone(original[key]);
          return copy;
        }
        case 'Date': return remember(original, new Date(original.getTime()));
        case 'RegExp': return remember(original, new RegExp(original.source, original.flags));
        case 'Boolean': case 'Number': case 'String': return remember(original, Object(original.valueOf()));
        case 'Map': {
          const copy = remember(original, new Map());
          original.forEach((item, key) => copy.set(clone(key), clone(item)));
          return copy;
        }
        case 'Set': {
          const copy = remember(original, new Set());
          original.forEach((item) => copy.add(clone(item)));
          return copy;
        }
        case 'ArrayBuffer': return remember(original, original.slice(0));
        case 'Error': {
          const copy = remember(original, new (ERRORS[original.name] ?? Error)(original.message));
          if ('cause' in original) copy.cause = clone(original.cause);
          return copy;
        }
        case 'Promise': case 'WeakMap': case 'WeakSet': refuse('#<' + original.constructor?.name + '>');
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
    if (arguments.length === 0) throw new TypeErrorOf('structuredClone needs a value');
    return clone(value);
  }

  return { btoa, atob, structuredClone, bytesOf };
})
