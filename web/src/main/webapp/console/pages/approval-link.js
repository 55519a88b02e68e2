// Decides one approval with a link, without a login. Opening the page decides nothing.
import { openLink } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { visible } from "../lib/escape.js";
import { distance, time, useNow } from "../lib/time.js";
import { facts, loading, trouble } from "../components/ui.js";
import { Json } from "../components/code.js";
import { askedBy, QUESTIONS, SILENCE, valueAtExpiry } from "./approvals.js";

const { button, div, h1, input, label, main, p, span } = el;

// The token is behind the #, so that browsers never send it. It is removed from the URL, which is stored and shown.
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
    h(Json, { value: approval.arguments, label: "Requested arguments" }),
    facts([
      ["Execution", span({ class: "mono wrap" }, approval.execution)],
      ["Intent", approval.intent && visible(approval.intent)],
      ["Submitted by", askedBy(approval)],
      ["Rule", span({ class: "mono wrap" }, visible(approval.rule))],
      [
        "Approvers",
        approval.approvers > 1 &&
          `${approval.approvers} needed${approval.approvedBy?.length ? `, ${approval.approvedBy.length} so far` : ""}`,
      ],
      ["On expiry", [SILENCE[approval.atExpiry], " ", distance(approval.expiresAt, now)]],
      ["Answer on expiry", valueAtExpiry(approval)],
      ["You decide as", span({ class: "mono wrap" }, visible(asked.voice))],
      ["This link", ["valid once, until ", time(asked.expiresAt)]],
    ]),
    label(
      { class: "field" },
      span({ class: "field-label" }, "Note"),
      input({
        value: note,
        maxLength: 2000,
        placeholder: "Shown to the script and in the trace",
        onInput: (event) => setNote(event.target.value),
      }),
    ),
    trouble(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "good", disabled: busy, onClick: () => decide("approve") }, "Approve"),
      button({ type: "button", class: "danger", disabled: busy, onClick: () => decide("deny") }, "Deny"),
    ),
  );
}

const ENDS = { APPROVED: "Approved", DENIED: "Denied", PENDING: "Vote recorded; more approvers must decide" };

/** The page of an approval link. */
export function ApprovalLink() {
  const [asked, setAsked] = useState(/** @type {any} */ (null));
  const [decided, setDecided] = useState(/** @type {any} */ (null));
  const { failure, run } = useAction();
  useEffect(() => {
    document.title = "Approval · Sallyport";
    if (token) run(() => openLink({ token })).then((found) => found && setAsked(found));
  }, []);
  return main(
    { class: "alone" },
    div(
      { class: "login link-page" },
      decided
        ? div({ role: "status" }, h1(ENDS[decided.state] ?? decided.state), p("Thank you. You can close this page."))
        : !token
          ? div(
              h1("Link incomplete"),
              p("Open the complete link again, including the part after #. The page cannot be reloaded without it."),
            )
          : asked
            ? h(Asked, { asked, onDecided: setDecided })
            : failure
              ? div(h1("This link is not valid"), trouble(failure))
              : loading(),
    ),
  );
}
