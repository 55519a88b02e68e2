// Names and output come from untrusted people and scripts: characters that are invisible, or that change how other text
// looks, are shown as a visible mark.
import { el } from "./dom.js";

const CONTROLS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
const BIDI_CONTROLS = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u2065" +
  "\\u206a-\\u206f\\u3164\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}";
const LONE_SURROGATES = "\\ud800-\\udfff";
const UNSAFE_CHARACTER = new RegExp(`([${CONTROLS}${BIDI_CONTROLS}${INVISIBLE}${LONE_SURROGATES}])`, "u");

/** @param {string} char not empty */
const codePointOf = (char) => /** @type {number} */ (char.codePointAt(0));

/** @param {string} char not empty */
const codePointName = (char) => "U+" + codePointOf(char).toString(16).toUpperCase().padStart(4, "0");

/** @param {string} char */
function replacement(char) {
  const code = codePointOf(char);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : codePointName(char);
}

/** Returns a text as nodes, with marks for invisible characters. @param {unknown} value */
export function escapeControls(value) {
  const text = String(value ?? "");
  if (!UNSAFE_CHARACTER.test(text)) return text;
  return text
    .split(new RegExp(UNSAFE_CHARACTER, "gu"))
    .map((part, index) =>
      index % 2
        ? el.span({ class: "mark", title: `${codePointName(part)}, shown as a mark` }, replacement(part))
        : part,
    );
}

/** As {@link escapeControls}, but plain text, for attributes and titles. @param {unknown} value */
export const escapeControlsInText = (value) =>
  String(value ?? "")
    .split(new RegExp(UNSAFE_CHARACTER, "gu"))
    .map((part, index) => (index % 2 ? replacement(part) : part))
    .join("");

/** As {@link escapeControls}, on one line. @param {unknown} value */
export const escapeControlsInLine = (value) => escapeControls(String(value ?? "").replace(/\r?\n/g, "\u23ce"));

/** Returns the first `maxLength` characters of a text. @param {string} text @param {number} maxLength */
export const truncate = (text, maxLength) => (text.length > maxLength ? text.slice(0, maxLength) + "…" : text);

/** Shortens an id to its first and last characters, which distinguish it on a page. @param {string} id */
export const shortId = (id) => (id && id.length === 36 ? id.slice(0, 8) + "…" + id.slice(-6) : String(id ?? ""));
