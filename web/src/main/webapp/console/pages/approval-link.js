// Decides one approval with a link, without a login. Opening the page decides nothing.
import { openApprovalLink } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { escapeControls } from "../lib/escape.js";
import { relativeTime, time, useNow } from "../lib/time.js";
import { factList, loadingState, errorBox } from "../components/ui.js";
import { Json } from "../components/code.js";
import { approversNeeded, requester, QUESTIONS, EXPIRY_OUTCOMES, valueAtExpiry } from "./approvals.js";

const { button, div, h1, input, label, main, p, span } = el;

// The token is behind the #, so that browsers never send it. It is removed from the URL, which is stored and shown.
const token = location.hash.slice(1);
if (token) history.replaceState(history.state, "", location.pathname);
addEventListener("hashchange", () => location.reload());

function DecisionForm({ link, onDecided }) {
  const { approval } = link;
  const now = useNow(5_000);
  const [note, setNote] = useState("");
  const { busy, failure, run } = useAction();
  const decide = async (decision) => {
    const done = await run(() => openApprovalLink({ token, decision, ...(note.trim() ? { note: note.trim() } : {}) }));
    if (done) onDecided(done.approval);
  };
  return div(
    h1((QUESTIONS[approval.kind] ?? QUESTIONS.call)(approval)),
    p({ class: "approval-why" }, escapeControls(approval.reason)),
    h(Json, { value: approval.arguments, label: "Requested arguments" }),
    factList([
      ["Execution", span({ class: "mono wrap" }, approval.execution)],
      ["Intent", approval.intent && escapeControls(approval.intent)],
      ["Submitted by", requester(approval)],
      ["Rule", span({ class: "mono wrap" }, escapeControls(approval.rule))],
      ["Approvers", approversNeeded(approval)],
      ["On expiry", [EXPIRY_OUTCOMES[approval.atExpiry], " ", relativeTime(approval.expiresAt, now)]],
      ["Answer on expiry", valueAtExpiry(approval)],
      ["You decide as", span({ class: "mono wrap" }, escapeControls(link.voice))],
      ["This link", ["valid once, until ", time(link.expiresAt)]],
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
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "good", disabled: busy, onClick: () => decide("approve") }, "Approve"),
      button({ type: "button", class: "danger", disabled: busy, onClick: () => decide("deny") }, "Deny"),
    ),
  );
}

const OUTCOMES = { APPROVED: "Approved", DENIED: "Denied", PENDING: "Vote recorded; more approvers must decide" };

/** The page of an approval link. */
export function ApprovalLink() {
  const [link, setLink] = useState(/** @type {any} */ (null));
  const [decided, setDecided] = useState(/** @type {any} */ (null));
  const { failure, run } = useAction();
  useEffect(() => {
    document.title = "Approval · Sallyport";
    if (token) run(() => openApprovalLink({ token })).then((loaded) => loaded && setLink(loaded));
  }, []);
  return main(
    { class: "alone" },
    div(
      { class: "login link-page" },
      decided
        ? div(
            { role: "status" },
            h1(OUTCOMES[decided.state] ?? decided.state),
            p("Thank you. You can close this page."),
          )
        : !token
          ? div(
              h1("Link incomplete"),
              p("Open the complete link again, including the part after #. The page cannot be reloaded without it."),
            )
          : link
            ? h(DecisionForm, { link, onDecided: setDecided })
            : failure
              ? div(h1("This link is not valid"), errorBox(failure))
              : loadingState(),
    ),
  );
}
