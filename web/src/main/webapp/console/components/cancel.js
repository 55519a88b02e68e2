import { el, h, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";
import { Dialog, formField } from "./ui.js";

const { button, div, form, input, span } = el;

/**
 * Asks for the optional reason of a cancellation.
 * @param {{ title: any, action: string, onClose: () => void, onCancel: (reason: string) => void }} props
 */
export function CancelDialog({ title, action, onClose, onCancel }) {
  const [reason, setReason] = useState("");
  const confirm = (event) => {
    event.preventDefault();
    onCancel(reason.trim());
  };
  return h(
    Dialog,
    { title, onClose },
    form(
      { onSubmit: confirm },
      formField(
        "Reason",
        input({
          value: reason,
          maxLength: 1000,
          autoFocus: true,
          onInput: (event) => setReason(event.target.value),
        }),
        "optional; shown with the execution and in the audit log",
      ),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "danger" }, action),
        button({ type: "button", class: "quiet", onClick: onClose }, "Back"),
      ),
    ),
  );
}

/** Who cancelled, and why. @param {any} cancellation */
export const cancellationText = (cancellation) =>
  cancellation && [
    cancellation.requestedBy
      ? ["by ", span({ class: "mono wrap" }, escapeControls(cancellation.requestedBy))]
      : "by the service",
    cancellation.reason && [": ", escapeControls(cancellation.reason)],
  ];
