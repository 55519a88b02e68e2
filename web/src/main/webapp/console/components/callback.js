// The callback of an execution: its state, and sending it again.
import { post } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { useMay } from "../lib/session.js";
import { visible } from "../lib/escape.js";
import { distance, time } from "../lib/time.js";
import { pill } from "./ui.js";

const { button, div, span } = el;
const KINDS = { delivered: "good", failed: "bad", due: "warn", waiting: "quiet" };
const WORDS = { delivered: "delivered", failed: "failed", due: "retrying", waiting: "pending" };

/** @param {string} state */
export const callbackState = (state) => pill(KINDS[state] ?? "", WORDS[state] ?? state);

/** The last answer or failure. */
export const callbackAnswer = (it) =>
  it.failure
    ? span({ class: "wrap" }, visible(it.failure))
    : it.status !== undefined
      ? `the receiver answered ${it.status}`
      : span({ class: "dim" }, "none yet");

/** When it was delivered or failed, or when the next attempt is due. @param {any} it @param {number} now */
export const callbackTime = (it, now) =>
  it.doneAt ? time(it.doneAt) : it.nextAt && it.state === "due" ? span(`next ${distance(it.nextAt, now)}`) : "";

/** @param {{ callback: any, onDone: (callback: any) => void }} props */
export function SendAgain({ callback, onDone }) {
  const may = useMay("submitter", "operator");
  const { busy, failure, run } = useAction();
  if (!may || !["delivered", "failed"].includes(callback.state)) return null;
  const again = async () => {
    const sent = await run(() => post(`/executions/${callback.execution}/callback/replay`));
    if (sent) onDone(sent);
  };
  return div(
    button({ type: "button", class: "small", disabled: busy, onClick: again }, busy ? "…" : "Send again"),
    failure && div({ class: "bad-text small-text", role: "alert" }, failure.message),
  );
}
