// The parts that the pages of secrets and of variables share: entries with a name, a value and a version.
import { get, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, emptyState, formField, PageHead, whenLoaded, errorBox } from "./ui.js";

const { button, div, input, p, span, table, tbody, td, th, thead, tr } = el;

/** Maximum length of a value. */
export const MAX_VALUE_LENGTH = 16_384;

/** The field for the name of a new entry; `limits` are its attributes. */
export const nameField = (value, set, limits, help) =>
  formField(
    "Name",
    input({
      value,
      required: true,
      autoFocus: true,
      autocomplete: "off",
      spellcheck: false,
      ...limits,
      onInput: (event) => set(event.target.value),
    }),
    help,
  );

/** The buttons of a dialog that stores a value. */
export const storeButtons = ({ busy, isComplete, onClose }) =>
  div(
    { class: "decide-row" },
    button({ type: "submit", class: "primary", disabled: busy || !isComplete }, busy ? "Storing…" : "Store"),
    button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
  );

/** Deletes an entry. @param {any} props `path` of the list in the API, `noun` of an entry, `consequence` as content */
export function DeleteDialog({ path, noun, entry, consequence, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const deleteEntry = async () => {
    if ((await run(() => remove(`${path}/${encodeURIComponent(entry.name)}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(entry.name), "”?"], onClose },
    consequence,
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteEntry }, `Delete the ${noun}`),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

/** The cell with the name; `detail` follows the version on narrow screens. */
export const nameCell = (entry, detail) =>
  td(
    { class: "wrap" },
    span({ class: "mono" }, escapeControls(entry.name)),
    div(
      { class: "dim small-text narrow-only" },
      `version ${entry.version}, changed `,
      time(entry.changedAt),
      detail ?? null,
    ),
  );

/** The cells with the version and the last change. */
export const changeCells = (entry) => [
  td({ key: "version", class: "wide-only col-number" }, entry.version),
  td(
    { key: "changed", class: "wide-only" },
    time(entry.changedAt),
    div({ class: "dim small-text wrap" }, "by key ", escapeControls(entry.changedBy)),
  ),
];

/** The cell with the buttons that open the dialogs `change` and `delete`. */
const actionsCell = (changeLabel, openDialog) =>
  td(
    div(
      { class: "row-actions" },
      button({ type: "button", class: "small", onClick: () => openDialog("change") }, changeLabel),
      button({ type: "button", class: "quiet danger-text small", onClick: () => openDialog("delete") }, "Delete…"),
    ),
  );

/**
 * The page with all entries.
 *
 * @param {any} props `heads` and `cells` of the columns, `dialogs` by kind (`new`, `change`, `delete`), texts
 */
export function NamedValuesPage({
  path,
  title,
  lead,
  newLabel,
  changeLabel,
  heads,
  cells,
  empty,
  firstLabel,
  dialogs,
}) {
  const mayChange = useHasRole("operator");
  const list = useQuery(() => get(path), [], { interval: 10_000 });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  const done = () => {
    close();
    list.refetch();
  };
  const newButton = (text) =>
    mayChange && button({ type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) }, text);
  return div(
    h(PageHead, { title, lead, actions: newButton(newLabel) }),
    whenLoaded(list, ({ items }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain secrets" },
              thead(tr(heads, mayChange && th({ key: "actions" }, span({ class: "unseen" }, "Change")))),
              tbody(
                items.map((entry) =>
                  tr(
                    { key: entry.name, "data-name": entry.name },
                    cells(entry),
                    mayChange && actionsCell(changeLabel, (kind) => setDialog({ kind, entry })),
                  ),
                ),
              ),
            ),
          )
        : emptyState(`No ${title.toLowerCase()} yet`, p(empty), newButton(firstLabel)),
    ),
    dialog && h(dialogs[dialog.kind], { entry: dialog.entry, onClose: close, onDone: done }),
  );
}
