// The output of a script, as plain text. Follows the end while new output arrives.
import { el, useLayoutEffect, useRef, useState } from "../lib/dom.js";
import { visible } from "../lib/escape.js";

const { button, div, pre } = el;
const SHOWN = 60_000;

/** @param {{ text: string, label: string, bad?: boolean }} props */
export function Output({ text, label, bad }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  const [all, setAll] = useState(false);
  const cut = !all && text.length > SHOWN;
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return div(
    cut &&
      div(
        { class: "output-cut" },
        `The last ${SHOWN.toLocaleString()} of ${text.length.toLocaleString()} characters. `,
        button({ type: "button", class: "quiet small", onClick: () => setAll(true) }, "Show all"),
      ),
    pre(
      {
        ref: box,
        class: bad ? "output output-bad" : "output",
        tabIndex: 0,
        role: "region",
        "aria-label": label,
        onScroll: ({ currentTarget: it }) => {
          atEnd.current = it.scrollHeight - it.scrollTop - it.clientHeight < 24;
        },
      },
      visible(cut ? text.slice(-SHOWN) : text),
    ),
  );
}
