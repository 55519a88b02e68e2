// The output of a script, as plain text. Follows the end while new output arrives.
import { el, useLayoutEffect, useRef, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";

const { button, div, pre } = el;
const MAX_SHOWN_CHARS = 60_000;

/** @param {{ text: string, label: string, bad?: boolean }} props */
export function Output({ text, label, bad }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [showAll, setShowAll] = useState(false);
  const cut = !showAll && text.length > MAX_SHOWN_CHARS;
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return div(
    cut &&
      div(
        { class: "output-cut" },
        `The last ${MAX_SHOWN_CHARS.toLocaleString()} of ${text.length.toLocaleString()} characters. `,
        button({ type: "button", class: "quiet small", onClick: () => setShowAll(true) }, "Show all"),
      ),
    pre(
      {
        ref: box,
        class: bad ? "output output-bad" : "output",
        tabIndex: 0,
        role: "region",
        "aria-label": label,
        onScroll: ({ currentTarget: element }) => {
          atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
        },
      },
      escapeControls(cut ? text.slice(-MAX_SHOWN_CHARS) : text),
    ),
  );
}
