// The callback of an execution: its state, and sending it again.
import { post } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { relativeTime, time } from "../lib/time.js";
import { pill } from "./ui.js";

const { button, div, span } = el;
const PILL_KINDS = { delivered: "good", failed: "bad", due: "warn", waiting: "quiet" };
const STATE_NAMES = { delivered: "delivered", failed: "failed", due: "retrying", waiting: "pending" };

/** @param {string} state */
export const callbackState = (state) => pill(PILL_KINDS[state] ?? "", STATE_NAMES[state] ?? state);

/** The last answer or failure. */
export const callbackAnswer = (it) =>
  it.failure
    ? span({ class: "wrap" }, escapeControls(it.failure))
    : it.status !== undefined
      ? `the receiver answered ${it.status}`
      : span({ class: "dim" }, "none yet");

/** When it was delivered or failed, or when the next attempt is due. @param {any} it @param {number} now */
export const callbackTime = (it, now) =>
  it.finishedAt
    ? time(it.finishedAt)
    : it.nextAt && it.state === "due"
      ? span(`next ${relativeTime(it.nextAt, now)}`)
      : "";

/** @param {{ callback: any, onDone: (callback: any) => void }} props */
export function RedeliverButton({ callback, onDone }) {
  const mayRedeliver = useHasRole("submitter", "operator");
  const { busy, failure, run } = useAction();
  if (!mayRedeliver || !["delivered", "failed"].includes(callback.state)) return null;
  const redeliver = async () => {
    const redelivered = await run(() => post(`/executions/${callback.execution}/callback/redeliver`));
    if (redelivered) onDone(redelivered);
  };
  return div(
    button({ type: "button", class: "small", disabled: busy, onClick: redeliver }, busy ? "…" : "Send again"),
    failure && div({ class: "bad-text small-text", role: "alert" }, failure.message),
  );
}
