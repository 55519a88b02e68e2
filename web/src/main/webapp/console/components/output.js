// The output of a script, as plain text. Follows the end while new output arrives.
import { el, h, useLayoutEffect, useMemo, useRef, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";
import { MAX_STREAM_CHARS } from "../lib/output-pieces.js";
import { formatTime } from "../lib/time.js";

const { button, div, pre, span } = el;
const MAX_SHOWN_CHARS = 60_000;
const MAX_SHOWN_PARTS = 2_000;
/** The number of grouped parts grows in steps, so that their text is rarely joined again. */
const GROUPING_STEP = 500;

/** @typedef {import("../lib/output-pieces.js").OutputPiece} OutputPiece */

/** Returns the last parts, as many as are shown. @param {OutputPiece[]} parts */
function lastParts(parts) {
  /** @type {OutputPiece[]} */
  const shown = [];
  let left = MAX_SHOWN_CHARS;
  for (let i = parts.length - 1; i >= 0 && left > 0 && shown.length < MAX_SHOWN_PARTS; i--) {
    const text = parts[i].text.slice(-left);
    shown.push({ ...parts[i], text });
    left -= text.length;
  }
  return shown.reverse();
}

/** Returns one part for each stream. @param {OutputPiece[]} parts */
function groupByStream(parts) {
  return ["output", "error-output"].flatMap((stream) => {
    const group = parts.filter((part) => part.stream === stream);
    return group.length === 0 ? [] : [{ ...group[0], at: undefined, text: group.map(({ text }) => text).join("") }];
  });
}

/** @param {{ text: string }[]} parts */
const lengthOf = (parts) => parts.reduce((sum, { text }) => sum + text.length, 0);

/**
 * Shows text of one stream. Error output is marked with a line on its left, and with a text for screen readers.
 *
 * @param {Pick<OutputPiece, "stream" | "at" | "text">} props
 */
function OutputPart({ stream, at, text }) {
  return useMemo(() => {
    const time = at && formatTime(at);
    if (stream === "output") return span({ title: time }, escapeControls(text));
    // A line break at the end is outside, because the next line does not belong to the marked text.
    const ending = text.endsWith("\n") ? "\n" : "";
    return span(
      span(
        { class: "output-bad", title: time ? `Error output, ${time}` : "Error output" },
        span({ class: "unseen" }, "Error output: "),
        escapeControls(text.slice(0, text.length - ending.length)),
      ),
      ending,
    );
  }, [stream, at, text]);
}

/**
 * Shows both streams in the order in which the script wrote them.
 *
 * @param {{ output: import("../lib/output-pieces.js").OutputCollector, label: string }} props
 */
export function Output({ output, label }) {
  const { parts, length } = output;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [showAll, setShowAll] = useState(false);
  const excess = showAll ? Math.max(0, parts.length - MAX_SHOWN_PARTS) : 0;
  const groupedCount = Math.ceil(excess / GROUPING_STEP) * GROUPING_STEP;
  const grouped = useMemo(() => groupByStream(parts.slice(0, groupedCount)), [parts, groupedCount]);
  const single = useMemo(
    () => (showAll ? parts.slice(groupedCount) : lastParts(parts)),
    [parts, length, showAll, groupedCount],
  );
  const content = useMemo(
    () => [...grouped, ...single].map((part) => h(OutputPart, { key: part.sequence, ...part })),
    [grouped, single],
  );
  const shownLength = lengthOf(grouped) + lengthOf(single);
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [length]);
  return div(
    shownLength < length &&
      div(
        { class: "output-cut" },
        `The last ${shownLength.toLocaleString()} of ${length.toLocaleString()} characters. `,
        button({ type: "button", class: "quiet small", onClick: () => setShowAll(true) }, "Show all"),
      ),
    groupedCount > 0 &&
      div(
        { class: "output-cut" },
        `The first ${lengthOf(grouped).toLocaleString()} characters are not in the order of writing: ` +
          "the output comes before the error output.",
      ),
    pre(
      {
        ref: box,
        class: "output",
        tabIndex: 0,
        role: "region",
        "aria-label": label,
        onScroll: ({ currentTarget: element }) => {
          atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
        },
      },
      content,
    ),
    output.truncated &&
      div(
        { class: "output-cut" },
        `This page shows the first ${MAX_STREAM_CHARS.toLocaleString()} characters of each stream.`,
      ),
  );
}
