// A file with rows, each the arguments of one run of a capability.
import { el, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";

const { code, input, label, span } = el;

/** The media type of a file of rows, by its name. @param {File} file */
export const mediaType = (file) => (/\.(ndjson|jsonl)$/i.test(file.name) ? "application/x-ndjson" : "text/csv");

export const rowCount = (count) => `${count.toLocaleString()} ${count === 1 ? "row" : "rows"}`;

/** The area that takes a file, dropped or chosen. */
export function FileDrop({ file, onFile }) {
  const [over, setOver] = useState(false);
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer?.files.length) onFile(event.dataTransfer.files[0]);
  };
  return label(
    {
      class: "file-drop" + (over ? " file-over" : ""),
      onDragOver: (event) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: drop,
    },
    span({ class: "field-label" }, "File with rows"),
    span(file ? [code(escapeControls(file.name)), ` ${file.size.toLocaleString()} bytes`] : "Drop a file here, or"),
    input({
      type: "file",
      accept: ".csv,.ndjson,.jsonl,text/csv,application/x-ndjson",
      onChange: (event) => {
        const chosen = event.target.files[0];
        // Without this, browsers ignore a second choice of the same file.
        event.target.value = "";
        if (chosen) onFile(chosen);
      },
    }),
    span({ class: "field-help" }, "CSV whose first row names the arguments, or NDJSON with the arguments in each line"),
  );
}
