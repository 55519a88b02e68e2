// Small components that all pages use.
import { errorMessage } from "../lib/api.js";
import { classes, el, Fragment, h, useEffect, useRef } from "../lib/dom.js";
import { stateName } from "../lib/states.js";
import { escapeControls } from "../lib/escape.js";

export { STATES, stateName, TERMINAL } from "../lib/states.js";

const { a, button, div, h1, h2, p, section, span } = el;

/** Shows a state with color, shape and name. @param {string} state */
export const badge = (state) =>
  span({ class: classes("badge", "is-" + String(state).toLowerCase()) }, stateName(state));

/** @param {string} kind @param {any} content */
export const pill = (kind, ...content) => span({ class: classes("pill", kind && "pill-" + kind) }, ...content);

/**
 * The head of a page.
 * @param {{ title: any, lead?: any, actions?: any, name?: string }} props `name`: text for the title of the window, if
 *   `title` is not text
 */
export function PageHead({ title, lead, actions, name }) {
  useEffect(() => {
    document.title = `${name ?? title} · Sallyport`;
  }, [name, title]);
  return el.header(
    { class: "page-head" },
    div({ class: "page-title" }, h1({ tabIndex: -1, id: "page-title" }, title), lead && p({ class: "lead" }, lead)),
    actions && div({ class: "actions" }, actions),
  );
}

/** A section of a page with its own heading. */
export const panel = (title, ...content) => {
  const { label = title, actions, id, wide } = typeof title === "object" && title !== null && !title.type ? title : {};
  return section(
    { class: classes("panel", wide && "panel-wide"), id },
    label && div({ class: "panel-head" }, h2(label), actions && div({ class: "actions" }, actions)),
    div({ class: "panel-body" }, ...content),
  );
};

/**
 * Shows a failure, and a button to try again.
 * @param {import("../lib/api.js").Failure | undefined} failure @param {(() => void) | undefined} [retry]
 */
export const errorBox = (failure, retry) =>
  failure
    ? div(
        { class: "note note-bad", role: "alert" },
        div(span({ class: "note-title" }, failure.body?.title ?? "Error"), p(escapeControls(errorMessage(failure)))),
        retry && button({ class: "quiet", type: "button", onClick: () => retry() }, "Try again"),
      )
    : null;

/** @param {string} label */
export const loadingState = (label = "Loading…") =>
  div({ class: "loading", role: "status" }, span({ class: "spinner", "aria-hidden": "true" }), label);

/** An empty state, with a hint or an action. */
export const emptyState = (title, ...content) =>
  div({ class: "empty" }, p({ class: "empty-title" }, title), ...content);

/**
 * Shows the loading state, the failure, or the loaded value.
 * @template T
 * @param {{ value: T | undefined, failure: import("../lib/api.js").Failure | undefined, refetch: () => unknown }} query
 * @param {(value: T) => any} show
 */
export function whenLoaded({ value, failure, refetch }, show) {
  if (value === undefined) return failure ? errorBox(failure, refetch) : loadingState();
  return h(Fragment, null, failure ? errorBox(failure, refetch) : null, show(value));
}

/** Shows name and value pairs; pairs without a value are left out. @param {[any, any][]} pairs */
export const factList = (pairs) =>
  el.dl(
    { class: "facts" },
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
      .map(([name, value]) => div(el.dt(name), el.dd(value))),
  );

/** @param {Record<string, string>} labels */
export const labelPills = (labels) =>
  Object.entries(labels ?? {}).map(([name, value]) =>
    span({ class: "label", key: name }, span({ class: "label-name" }, escapeControls(name)), escapeControls(value)),
  );

/**
 * A modal dialog; Escape closes it.
 * @param {{ title: any, onClose: () => void, children?: any, wide?: boolean }} props
 */
export function Dialog({ title, onClose, children, wide }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return el.dialog(
    {
      ref,
      class: classes("dialog", wide && "dialog-wide"),
      "aria-labelledby": "dialog-title",
      onClose,
      onCancel: onClose,
    },
    div(
      { class: "dialog-head" },
      h2({ id: "dialog-title" }, title),
      button({ class: "quiet icon-button", type: "button", "aria-label": "Close", onClick: onClose }, "✕"),
    ),
    div({ class: "dialog-body" }, children),
  );
}

/** A form field with its label and help text. */
export const formField = (label, input, help) =>
  el.label(
    { class: "field" },
    span({ class: "field-label" }, label),
    input,
    help && span({ class: "field-help" }, help),
  );

/** A progress bar. @param {number} fraction @param {string} label @param {string} [tone] */
export const progressBar = (fraction, label, tone) =>
  div(
    {
      class: classes("meter", tone && "meter-" + tone),
      role: "progressbar",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-valuenow": Math.max(0, Math.min(100, Math.round(fraction * 100))),
    },
    div({ class: "meter-fill", style: { width: `${Math.max(0, Math.min(1, fraction)) * 100}%` } }),
  );

/** A link to a download of the service. */
export const downloadLink = (href, ...content) => a({ href, download: "" }, ...content);
