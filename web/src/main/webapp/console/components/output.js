// The output of a script, as plain text. Follows the end while new output arrives.
import { el, useLayoutEffect, useRef, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";
import { formatTime } from "../lib/time.js";

const { button, div, pre, span } = el;
const MAX_SHOWN_CHARS = 60_000;
const MAX_SHOWN_PARTS = 2_000;

/** @typedef {import("../lib/output-pieces.js").OutputPiece} OutputPiece */

/** Joins pieces that follow each other in one stream. @param {OutputPiece[]} pieces */
function joinStreams(pieces) {
  /** @type {{ bad: boolean, at: string | undefined, text: string }[]} */
  const parts = [];
  for (const { stream, at, text } of pieces) {
    const bad = stream === "error-output";
    const last = parts[parts.length - 1];
    if (last && last.bad === bad) last.text += text;
    else parts.push({ bad, at, text });
  }
  return parts;
}

/** Returns the last parts, as many as are shown. @param {ReturnType<typeof joinStreams>} parts */
function lastParts(parts) {
  const shown = [];
  let left = MAX_SHOWN_CHARS;
  for (let i = parts.length - 1; i >= 0 && left > 0 && shown.length < MAX_SHOWN_PARTS; i--) {
    const text = parts[i].text.slice(-left);
    shown.unshift({ ...parts[i], text });
    left -= text.length;
  }
  return shown;
}

/** @param {{ text: string }[]} parts */
const lengthOf = (parts) => parts.reduce((sum, { text }) => sum + text.length, 0);

/**
 * Shows both streams in the order in which the script wrote them.
 *
 * @param {{ pieces: OutputPiece[], label: string }} props
 */
export function Output({ pieces, label }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [showAll, setShowAll] = useState(false);
  const parts = joinStreams(pieces);
  const length = lengthOf(parts);
  const shown = showAll ? parts : lastParts(parts);
  const shownLength = lengthOf(shown);
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
      shown.map(({ bad, at, text }) =>
        span(
          {
            class: bad ? "output-bad" : undefined,
            title: [bad && "Error output", at && formatTime(at)].filter(Boolean).join(", ") || undefined,
          },
          escapeControls(text),
        ),
      ),
    ),
  );
}
