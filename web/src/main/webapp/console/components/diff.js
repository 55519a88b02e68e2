// Differences between two texts, line by line, and between a rerun and the first run.
import { get } from "../lib/api.js";
import { classes, el, h, useMemo } from "../lib/dom.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { link } from "../lib/router.js";
import { useQuery } from "../lib/use-query.js";
import { whenLoaded, panel, pill } from "./ui.js";

const { div, li, ol, p, span } = el;
const MAX_LINES = 1500;

/**
 * Returns the lines that are the same, removed and added, by the longest common subsequence; null if a text has more
 * than MAX_LINES lines.
 * @param {string} before @param {string} after
 */
export function diffLines(before, after) {
  const old = before.replace(/\n$/, "").split("\n");
  const next = after.replace(/\n$/, "").split("\n");
  if (old.length > MAX_LINES || next.length > MAX_LINES) return null;
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
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  if (!lines) return el.p({ class: "dim" }, "The scripts are too long to compare here.");
  if (lines.every(({ kind }) => kind === "same")) return el.p({ class: "dim" }, "Both ran the same script.");
  return div(
    { class: "code diff", tabIndex: 0, role: "region", "aria-label": "Differences between the scripts" },
    lines.map(({ kind, text }, index) =>
      div(
        { class: classes("code-line", "diff-" + kind), key: index },
        span({ class: "code-number" }, SIGNS[kind]),
        el.code(escapeControls(text) || "\u200b"),
      ),
    ),
  );
}

const MEMBER_NAMES = {
  state: "State",
  result: "Result",
  error: "Error",
  output: "Output",
  errorOutput: "Error output",
};

const diffColumn = (name, text, kind) =>
  div(
    { class: "side-by" },
    span({ class: "dim small-text" }, name),
    el.pre({ class: `json diff-${kind}` }, text === undefined ? "(none)" : escapeControls(text)),
  );

const memberDiff = (label, it) =>
  div(
    { class: "difference", key: label },
    el.h3(label, it.at > 0 ? span({ class: "dim" }, ` from character ${it.at} on`) : ""),
    div({ class: "columns" }, diffColumn("first run", it.with, "gone"), diffColumn("this run", it.this, "new")),
  );

/** @param {{ id: string, other: string, state: string }} props */
export function ExecutionDiff({ id, other, state }) {
  const diff = useQuery(() => get(`/executions/${id}/diff?with=${other}`), [id, other, state]);
  const scripts = useQuery(
    () => Promise.all([get(`/executions/${other}/code`), get(`/executions/${id}/code`)]),
    [id, other],
  );
  return div(
    panel(
      { label: "Compared with the first run", wide: true },
      p({ class: "dim" }, "The first run: ", link(`/executions/${other}`, { class: "mono" }, shortId(other))),
      whenLoaded(diff, (it) =>
        div(
          it.same && p(pill("good", "same"), " Both runs have the same calls and outcome."),
          Object.entries(MEMBER_NAMES)
            .filter(([member]) => it[member])
            .map(([member, label]) => memberDiff(label, it[member])),
          it.callsDiffering > 0 && el.h3(`${it.callsDiffering} of ${it.callsCompared} calls differ`),
          it.calls.length > 0 &&
            ol(
              { class: "bare" },
              it.calls.map((call) =>
                li(
                  { key: call.call },
                  el.h4(
                    `Call ${call.call}`,
                    call.onlyIn
                      ? span({ class: "dim" }, call.onlyIn === "this" ? " only in this run" : " only in the first run")
                      : "",
                  ),
                  ["tool", "args", "answer"]
                    .filter((member) => call[member])
                    .map((member) => memberDiff(member, call[member])),
                ),
              ),
            ),
        ),
      ),
    ),
    panel(
      { label: "The scripts", wide: true },
      whenLoaded(scripts, ([before, after]) => h(LineDiff, { before: before.code, after: after.code })),
    ),
  );
}
