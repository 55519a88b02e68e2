// Somebody who came by a link decides one approval. Nobody is logged in here, and opening the page decides nothing.
import { openLink } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction } from "../lib/load.js";
import { visible } from "../lib/text.js";
import { distance, time, useNow } from "../lib/time.js";
import { facts, loading, trouble } from "../parts/basics.js";
import { Json } from "../parts/code.js";
import { askedBy, QUESTIONS, SILENCE, valueAtExpiry } from "./approvals.js";

const { button, div, h1, input, label, main, p, span } = el;

// Behind the #, so that no server and no other page is ever sent it; then out of the address, which is kept and shown.
const token = location.hash.slice(1);
if (token) history.replaceState(history.state, "", location.pathname);
addEventListener("hashchange", () => location.reload());

function Asked({ asked, onDecided }) {
  const { approval } = asked;
  const now = useNow(5_000);
  const [note, setNote] = useState("");
  const { busy, failure, run } = useAction();
  const decide = async (decision) => {
    const done = await run(() => openLink({ token, decision, ...(note.trim() ? { note: note.trim() } : {}) }));
    if (done) onDecided(done.approval);
  };
  return div(
    h1((QUESTIONS[approval.kind] ?? QUESTIONS.call)(approval)),
    p({ class: "approval-why" }, visible(approval.reason)),
    h(Json, { value: approval.arguments, label: "Arguments as asked" }),
    facts([
      ["Execution", span({ class: "mono wrap" }, approval.execution)],
      ["What for", approval.intent && visible(approval.intent)],
      ["Submitted by", askedBy(approval)],
      ["Rule", span({ class: "mono wrap" }, visible(approval.rule))],
      ["Approvers", approval.approvers > 1 && `${approval.approvers} needed${approval.approvedBy?.length ? `, ${approval.approvedBy.length} so far` : ""}`],
      ["If nobody decides", [SILENCE[approval.atExpiry], " ", distance(approval.expiresAt, now)]],
      ["With", valueAtExpiry(approval)],
      ["You decide as", span({ class: "mono wrap" }, visible(asked.voice))],
      ["This link", ["counts once, until ", time(asked.expiresAt)]],
    ]),
    label({ class: "field" }, span({ class: "field-label" }, "Note"), input({ value: note, maxLength: 2000, placeholder: "The script and the trace see it", onInput: (event) => setNote(event.target.value) })),
    trouble(failure),
    div({ class: "decide-row" },
      button({ type: "button", class: "good", disabled: busy, onClick: () => decide("approve") }, "Approve"),
      button({ type: "button", class: "danger", disabled: busy, onClick: () => decide("deny") }, "Deny")));
}

const ENDS = { APPROVED: "Approved", DENIED: "Denied", PENDING: "Counted: others decide, too" };

/** What a link leads to. */
export function ApprovalLink() {
  const [asked, setAsked] = useState(/** @type {any} */ (null));
  const [decided, setDecided] = useState(/** @type {any} */ (null));
  const { failure, run } = useAction();
  useEffect(() => {
    document.title = "Approval · Sallyport";
    if (token) run(() => openLink({ token })).then((found) => found && setAsked(found));
  }, []);
  return main({ class: "alone" }, div({ class: "login link-page" },
    decided ? div({ role: "status" }, h1(ENDS[decided.state] ?? decided.state), p("Thank you. This page can be closed."))
      : !token ? div(h1("No link"), p("Open the whole link that you were given, with what stands behind #. A page that was opened by one is not opened again without it."))
        : asked ? h(Asked, { asked, onDecided: setDecided })
          : failure ? div(h1("This link does not count"), trouble(failure))
            : loading()));
}
