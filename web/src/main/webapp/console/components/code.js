// A script with line numbers. Marks the failing line, or the lines whose calls are pending.
import { classes, el, useMemo } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";

const { code, div, span } = el;
const KEYWORDS = [
  ...["as", "async", "await", "break", "case", "catch", "class", "const", "continue", "default", "delete", "do"],
  ...["else", "enum", "export", "extends", "finally", "for", "from", "function", "if", "import", "in", "instanceof"],
  ...["interface", "let", "new", "of", "return", "static", "super", "switch", "this", "throw", "try", "type"],
  ...["typeof", "var", "void", "while", "yield"],
];
const NUMBER = String.raw`0x[\da-fA-F_]+n?|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?n?`;
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>//[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`(?<string>"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|` + "`(?:[^`\\\\]|\\\\[\\s\\S])*`?)",
    String.raw`(?<keyword>\b(?:${KEYWORDS.join("|")})\b)`,
    String.raw`(?<literal>\b(?:true|false|null|undefined|NaN|Infinity|${NUMBER})\b)`,
  ].join("|"),
  "g",
);
const MAX_HIGHLIGHTED_CHARS = 60_000;

/**
 * Splits a source into lines of tokens: kind and text.
 * @param {string} source @returns {{ kind: string, text: string }[][]}
 */
function tokenLines(source) {
  /** @type {{ kind: string, text: string }[][]} */
  const result = [[]];
  const add = (kind, text) =>
    text.split("\n").forEach((part, index) => {
      if (index) result.push([]);
      if (part) result[result.length - 1].push({ kind, text: part });
    });
  if (source.length > MAX_HIGHLIGHTED_CHARS) {
    add("", source);
    return result;
  }
  let last = 0;
  for (const match of source.matchAll(TOKEN)) {
    add("", source.slice(last, match.index));
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? "";
    add(kind, match[0]);
    last = match.index + match[0].length;
  }
  add("", source.slice(last));
  return result;
}

const normalizeLineBreaks = (source) => source.replace(/\r\n?/g, "\n").replace(/\n$/, "");

/**
 * Returns the line that calls a tool, or 0 if several lines do, because the call of one cannot be told apart.
 * @param {string} source @param {string} callForm how scripts write the call @returns {number}
 */
export function findCallLine(source, callForm) {
  const memberName = callForm.replace(/^tools\./, "");
  const escapedName = memberName.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const call = new RegExp(`(?<![\\w$.])(?:(?:tools|mcp)\\.)${memberName === callForm ? "?" : ""}${escapedName}\\s*\\(`);
  const found = tokenLines(normalizeLineBreaks(source)).flatMap((tokens, index) => {
    const codeText = tokens.map(({ kind, text }) => (kind === "comment" || kind === "string" ? " " : text)).join("");
    return call.test(codeText) ? [index + 1] : [];
  });
  return found.length === 1 ? found[0] : 0;
}

/** @param {{ source: string, marks?: { line: number, message: string, pending?: boolean }[], label?: string }} props */
export function Code({ source, marks = [], label = "Script" }) {
  const parsed = useMemo(() => tokenLines(normalizeLineBreaks(source)), [source]);
  return div(
    { class: "code", tabIndex: 0, role: "region", "aria-label": label },
    parsed.map((tokens, index) => {
      const mark = marks.find(({ line }) => line === index + 1);
      return div(
        { class: classes("code-line", mark && (mark.pending ? "code-going" : "code-bad")), key: index },
        span({ class: "code-number", "aria-hidden": "true" }, index + 1),
        code(
          tokens.map(({ kind, text }) =>
            kind ? span({ class: "tok-" + kind }, escapeControls(text)) : escapeControls(text),
          ),
          tokens.length ? null : "\u200b",
          mark && span({ class: "code-message" }, escapeControls(mark.message)),
        ),
      );
    }),
  );
}

/** JSON as text. @param {{ value: unknown, label: string }} props */
export function Json({ value, label }) {
  const text = typeof value === "string" && value.includes("\n") ? value : (JSON.stringify(value, null, 2) ?? "");
  return el.pre(
    { class: "json", tabIndex: 0, role: "region", "aria-label": label },
    escapeControls(
      text.length > 100_000 ? text.slice(0, 100_000) + `\n… ${text.length - 100_000} more characters` : text,
    ),
  );
}
