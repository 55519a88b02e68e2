// The part of crypto that scripts need. Loaded on first use.
(function (kit) {
  "use strict";
  const { host, chance, TypeErrorOf, ErrorOf } = kit;
  const INTEGERS = [
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "BigInt64Array",
    "BigUint64Array",
  ];
  const MAX_BYTES = 65536;

  function failure(name, message) {
    return new (kit.part("web").DOMException)(message, name);
  }

  function getRandomValues(array) {
    const type = Object.prototype.toString.call(array).slice(8, -1);
    if (!ArrayBuffer.isView(array) || !INTEGERS.includes(type)) {
      throw failure("TypeMismatchError", "The data argument must be an integer-type TypedArray");
    }
    if (array.byteLength > MAX_BYTES) {
      throw failure("QuotaExceededError", "The requested length exceeds " + MAX_BYTES + " bytes");
    }
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i += 2) {
      const unit = chance();
      bytes[i] = unit >> 8;
      if (i + 1 < bytes.length) bytes[i + 1] = unit & 255;
    }
    return array;
  }

  function randomUUID() {
    const units = [];
    for (let i = 0; i < 8; i++) units.push(chance());
    units[3] = (units[3] & 0x0fff) | 0x4000;
    units[4] = (units[4] & 0x3fff) | 0x8000;
    const text = units.map((unit) => unit.toString(16).padStart(4, "0")).join("");
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function bufferOf(data) {
    if (data instanceof ArrayBuffer) return data;
    if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    throw new TypeErrorOf("The data of a digest must be an ArrayBuffer or a typed array (use TextEncoder for texts)");
  }

  async function digest(algorithm, data) {
    const name = String(typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm).toUpperCase();
    const text = host("digest", name, bufferOf(data));
    if (text === "") throw failure("NotSupportedError", "Unrecognized algorithm name: " + name.slice(0, 100));
    return Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer;
  }

  const subtle = Object.freeze({ digest });
  return { crypto: Object.freeze({ getRandomValues, randomUUID, subtle }), ErrorOf };
});
