// Differences between two texts, line by line.
import { classes, el, useMemo } from "../lib/dom.js";
import { visible } from "../lib/text.js";

const { div, span } = el;
const MOST = 1500;

/**
 * Returns the lines that are the same, removed and added, by the longest common subsequence; null if a text has more
 * than MOST lines.
 * @param {string} before @param {string} after
 */
export function lineDiff(before, after) {
  const old = before.replace(/\n$/, "").split("\n");
  const next = after.replace(/\n$/, "").split("\n");
  if (old.length > MOST || next.length > MOST) return null;
  const length = Array.from({ length: old.length + 1 }, () => new Uint16Array(next.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      length[i][j] = old[i] === next[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: "same", text: old[i++] });
      j++;
    } else if (j >= next.length || (i < old.length && length[i + 1][j] >= length[i][j + 1]))
      lines.push({ kind: "gone", text: old[i++] });
    else lines.push({ kind: "new", text: next[j++] });
  }
  return lines;
}

const SIGNS = { same: " ", gone: "−", new: "+" };

/** @param {{ before: string, after: string }} props */
export function LineDiff({ before, after }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  if (!lines) return el.p({ class: "dim" }, "The scripts are too long to compare here.");
  if (lines.every(({ kind }) => kind === "same")) return el.p({ class: "dim" }, "Both ran the same script.");
  return div(
    { class: "code diff", tabIndex: 0, role: "region", "aria-label": "Differences between the scripts" },
    lines.map(({ kind, text }, index) =>
      div(
        { class: classes("code-line", "diff-" + kind), key: index },
        span({ class: "code-number" }, SIGNS[kind]),
        el.code(visible(text) || "\u200b"),
      ),
    ),
  );
}
