// Names and output come from untrusted people and scripts: characters that are invisible, or that change how other text
// looks, are shown as a visible mark.
import { el } from "./dom.js";

const CONTROLS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
const DIRECTIONS = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const INVISIBLE =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}";
const LONE = "\\ud800-\\udfff";
const STRANGE = new RegExp(`([${CONTROLS}${DIRECTIONS}${INVISIBLE}${LONE}])`, "u");

/** @param {string} char */
const number = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

/** @param {string} char */
function mark(char) {
  const code = char.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : number(char);
}

/** Returns a text as nodes, with marks for invisible characters. @param {unknown} value */
export function visible(value) {
  const text = String(value ?? "");
  if (!STRANGE.test(text)) return text;
  return text
    .split(new RegExp(STRANGE, "gu"))
    .map((part, index) =>
      index % 2 ? el.span({ class: "mark", title: `${number(part)}, shown as a mark` }, mark(part)) : part,
    );
}

/** As {@link visible}, but plain text, for attributes and titles. @param {unknown} value */
export const visibleText = (value) =>
  String(value ?? "")
    .split(new RegExp(STRANGE, "gu"))
    .map((part, index) => (index % 2 ? mark(part) : part))
    .join("");

/** As {@link visible}, on one line. @param {unknown} value */
export const visibleLine = (value) => visible(String(value ?? "").replace(/\r?\n/g, "\u23ce"));

/** Returns the first `most` characters of a text. @param {string} text @param {number} most */
export const shortened = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);

/** Formats JSON for people. @param {unknown} value */
export const pretty = (value) => (value === undefined ? "" : JSON.stringify(value, null, 2));

/** Shortens an id to its first and last characters, which distinguish it on a page. @param {string} id */
export const shortId = (id) => (id && id.length === 36 ? id.slice(0, 8) + "…" + id.slice(-6) : String(id ?? ""));
