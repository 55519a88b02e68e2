import { loadFirst, get, post } from "../lib/api.js";
import { classes, el, h, useEffect, useRef, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { useHasRole, useSession } from "../lib/session.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { relativeTime, time, useNow } from "../lib/time.js";
import { badge, emptyState, factList, PageHead, whenLoaded, pill, errorBox } from "../components/ui.js";
import { Json } from "../components/code.js";
import { Editor } from "../components/editor.js";
import { parseJson } from "../components/submission.js";

/** Maximum page size of the service. */
const PAGE = 100;

const { article, button, div, h2, input, label, p, span, textarea } = el;

/** The question to the approver, by kind of approval. */
export const QUESTIONS = {
  call: (it) => ["May ", span({ class: "mono" }, escapeControls(it.tool)), " be called?"],
  outcome: (it) => ["What was the outcome of a call to ", span({ class: "mono" }, escapeControls(it.tool)), "?"],
  question: () => "The script asks",
};

/** The requester: the name of the key, which is not unique, and its id, which is. */
export const requester = (it) => [
  it.requesterName && [escapeControls(it.requesterName), ", "],
  "key ",
  span({ class: "mono wrap" }, escapeControls(it.requester)),
];

/** How many must approve, and how many have, if one is not enough. */
export const approversNeeded = (it) =>
  it.approvers > 1 && `${it.approvers} needed${it.approvedBy?.length ? `, ${it.approvedBy.length} so far` : ""}`;

/** The outcome of an approval that expires. */
export const EXPIRY_OUTCOMES = { deny: "denied", approve: "approved", value: "answered with a fixed value" };

/** The value that answers the call at expiry, if the rule has one. */
export const valueAtExpiry = (it) =>
  it.atExpiry === "value" && h(Json, { value: it.valueAtExpiry, label: "Answer on expiry" });

/** The label of the decision. */
const decidedBy = (it) =>
  it.decision.granted ? "Approved by" : it.state === "EXPIRED" && it.atExpiry === "value" ? "Answered by" : "Denied by";

/** Labels of the result that an approver can give with an approval. */
const RESULTS = {
  outcome: "Result of the call, if known (JSON). If empty, the call is made again.",
  question: "Answer for the script (JSON, optional)",
};

/** Milliseconds without movement before a row accepts clicks: an earlier click was meant for another row. */
const STILL_MILLIS = 500;

/** Whether an element has not moved for STILL_MILLIS. */
function useStill(ref) {
  const [still, setStill] = useState(false);
  useEffect(() => {
    let since = performance.now();
    let position = NaN;
    let frame = 0;
    const check = () => {
      // Position in the document, not in the window: scrolling does not count as movement.
      const now = ref.current ? ref.current.getBoundingClientRect().top + scrollY : NaN;
      if (Math.abs(now - position) > 1 || Number.isNaN(position)) since = performance.now();
      position = now;
      setStill(performance.now() - since >= STILL_MILLIS);
      frame = requestAnimationFrame(check);
    };
    check();
    return () => cancelAnimationFrame(frame);
  }, []);
  return still;
}

/** Creates a link that decides the approval, for example on the approver's phone. The link is shown once. */
function ApprovalLinkButton({ approval }) {
  const [link, setLink] = useState(/** @type {any} */ (null));
  const { busy, failure, run } = useAction();
  const createLink = async () => {
    const created = await run(() => post(`/approvals/${approval.id}/links`, {}));
    if (created) setLink(created);
  };
  return div(
    { class: "link-maker" },
    errorBox(failure),
    link
      ? label(
          { class: "field" },
          span(
            { class: "field-label" },
            "Anyone with this link can decide once, in your name, until ",
            time(link.expiresAt),
            ". The link is shown only once.",
          ),
          input({
            class: "mono",
            readOnly: true,
            value: location.origin + link.path,
            "aria-label": "Link",
            onFocus: (event) => event.target.select(),
          }),
        )
      : button({ type: "button", class: "quiet small", disabled: busy, onClick: createLink }, "Create approval link…"),
  );
}

/** Whether a reminder was sent for the approval. */
const wasReminded = (approval) => approval.reminders?.times > 0;

function DecisionForm({ approval, onDecided }) {
  const row = useRef(null);
  const still = useStill(row);
  const [text, setText] = useState(() => JSON.stringify(approval.arguments, null, 2));
  const [result, setResult] = useState("");
  const [editing, setEditing] = useState(false);
  const [note, setNote] = useState("");
  const [scope, setScope] = useState(false);
  const { busy, failure, run } = useAction();
  const parsedArgs = editing ? parseJson(text, "The arguments are") : {};
  const fault = parsedArgs.fault?.replace("are is", "are");
  const answer = result.trim() ? parseJson(result, "The result") : {};
  const severalApprovers = approval.approvers > 1;
  const decide = async (action, body) => {
    const decided = await run(() => post(`/approvals/${approval.id}/${action}`, body));
    if (decided) onDecided(decided);
  };
  const approve = () =>
    decide("approve", {
      ...(editing ? { arguments: parsedArgs.value } : {}),
      ...(scope ? { scope: "execution" } : {}),
      ...(note.trim() ? { note: note.trim() } : {}),
      ...(result.trim() ? { result: answer.value } : {}),
    });
  return div(
    { class: "decide" },
    editing &&
      div(
        { class: "field" },
        span({ class: "field-label" }, "Arguments for the call"),
        h(Editor, { small: true, mode: "json", label: "Arguments", value: text, onChange: setText }),
        fault && p({ class: "bad-text" }, fault),
      ),
    RESULTS[approval.kind] &&
      !severalApprovers &&
      label(
        { class: "field" },
        span({ class: "field-label" }, RESULTS[approval.kind]),
        textarea({ rows: 3, class: "mono", value: result, onInput: (event) => setResult(event.target.value) }),
        answer.fault && span({ class: "bad-text" }, answer.fault),
      ),
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
      { class: "decide-row", ref: row },
      button(
        {
          type: "button",
          class: "good",
          disabled: !still || busy || Boolean(fault) || Boolean(answer.fault),
          onClick: approve,
        },
        editing ? "Approve with these arguments" : "Approve",
      ),
      button(
        {
          type: "button",
          class: "danger",
          disabled: !still || busy,
          onClick: () => decide("deny", note.trim() ? { note: note.trim() } : {}),
        },
        "Deny",
      ),
      !editing &&
        !severalApprovers &&
        approval.kind === "call" &&
        button({ type: "button", disabled: busy, onClick: () => setEditing(true) }, "Edit the arguments…"),
      editing && button({ type: "button", class: "quiet", onClick: () => setEditing(false) }, "Discard edits"),
      approval.kind === "call" &&
        !severalApprovers &&
        !editing &&
        label(
          { class: "check" },
          input({ type: "checkbox", checked: scope, onChange: (event) => setScope(event.target.checked) }),
          "Also approve identical calls in this run",
        ),
    ),
  );
}

function Approval({ approval, now, onDecided, chosen }) {
  const mayDecide = useHasRole("approver");
  const { keyId } = useSession();
  const own = approval.requester === keyId;
  const open = approval.state === "PENDING";
  return article(
    {
      class: classes("approval", "panel", chosen && "approval-chosen"),
      "data-id": approval.id,
      id: `approval-${approval.id}`,
    },
    div(
      { class: "panel-head" },
      h2((QUESTIONS[approval.kind] ?? QUESTIONS.call)(approval)),
      open
        ? span(
            { class: "dim" },
            wasReminded(approval) && pill("warn", "reminder"),
            "asked ",
            relativeTime(approval.createdAt, now),
          )
        : badge(approval.state),
    ),
    div(
      { class: "panel-body" },
      p({ class: "approval-why" }, escapeControls(approval.reason)),
      div(
        { class: "columns" },
        div(
          el.h3(approval.kind === "question" ? "Question" : "Arguments"),
          h(Json, { value: approval.arguments, label: "Requested arguments" }),
        ),
        factList([
          ["Execution", link(`/executions/${approval.execution}`, { class: "mono" }, shortId(approval.execution))],
          ["Call", `number ${approval.call}`],
          ["Intent", approval.intent && escapeControls(approval.intent)],
          ["Submitted by", [requester(approval), own ? " (yours)" : ""]],
          ["Rule", span({ class: "mono wrap" }, escapeControls(approval.rule))],
          ["Approvers", approversNeeded(approval)],
          [
            "On expiry",
            open && [
              EXPIRY_OUTCOMES[approval.atExpiry],
              " ",
              relativeTime(approval.expiresAt, now),
              " (",
              time(approval.expiresAt),
              ")",
            ],
          ],
          ["Answer on expiry", open && valueAtExpiry(approval)],
          [
            "Reminders",
            approval.reminders && [
              approval.reminders.times
                ? `${approval.reminders.times}, the last one ${relativeTime(approval.reminders.last, now)}`
                : "none yet",
              open && approval.reminders.next && [", the next one ", relativeTime(approval.reminders.next, now)],
            ],
          ],
          [
            "Fingerprint of these arguments",
            span({ class: "mono dim", title: approval.hash }, approval.hash.slice(0, 16), "…"),
          ],
        ]),
      ),
      approval.decision &&
        factList([
          [
            decidedBy(approval),
            [
              approval.decision.by ? ["key ", span({ class: "mono" }, escapeControls(approval.decision.by))] : "expiry",
              ", ",
              time(approval.decision.at),
            ],
          ],
          ["Note", approval.decision.note && escapeControls(approval.decision.note)],
          [
            "Answer",
            approval.decision.result !== undefined &&
              h(Json, { value: approval.decision.result, label: "Answer given" }),
          ],
          [
            "Changed arguments",
            approval.decision.arguments !== undefined &&
              h(Json, { value: approval.decision.arguments, label: "Arguments as approved" }),
          ],
        ]),
      open &&
        (mayDecide
          ? h(DecisionForm, { approval, onDecided })
          : p({ class: "dim" }, "Only users with the role approver can decide.")),
      open && mayDecide && !own && approval.kind !== "outcome" && h(ApprovalLinkButton, { approval }),
      open &&
        mayDecide &&
        own &&
        p(
          { class: "dim small-text" },
          "You submitted this run, so someone else must approve it, unless the service is configured otherwise.",
        ),
    ),
  );
}

/** @typedef {{ key: string, ids: string[], items: Record<string, any> }} Order approvals shown, by id */

/**
 * The approvals shown, in the order in which they appeared, so that none moves or disappears.
 * @param {{ items: any[] } | undefined} page @param {string} key @param {string | null} chosen
 */
function useStableOrder(page, key, chosen) {
  const [shown, setShown] = useState(/** @type {Order} */ ({ key: "", ids: [], items: {} }));
  /** @type {Order} */
  const current = shown.key === key ? shown : { key, ids: [], items: {} };
  const newest = page?.items ?? [];
  // Ids are ordered by creation. Approvals older than all shown ones are added below, where they move nothing.
  const oldest = current.ids.filter((id) => id !== chosen).reduce((one, other) => (one < other ? one : other), "g");
  const ids = [
    ...current.ids,
    ...newest.map((item) => item.id).filter((id) => id < oldest && !current.ids.includes(id)),
  ];
  const items = {
    ...current.items,
    ...Object.fromEntries(newest.filter((item) => ids.includes(item.id)).map((item) => [item.id, item])),
  };
  const newItems = newest.filter((item) => !ids.includes(item.id));
  useEffect(() => {
    if (page) setShown({ key, ids, items });
  }, [page, key]);
  return {
    items: ids.map((id) => items[id]),
    newItems,
    /** Adds new approvals at the bottom, where they do not move others under the pointer. */
    showNew: () =>
      setShown({
        key,
        ids: [...ids, ...newItems.map((item) => item.id)],
        items: { ...items, ...Object.fromEntries(newItems.map((item) => [item.id, item])) },
      }),
  };
}

/**
 * Loads shown approvals that left the list of pending ones, because they were decided elsewhere.
 * @param {any[]} shown @param {{ items: any[] } | undefined} page
 * @returns {[Record<string, any>, (approval: any) => void]} the decided approvals by id, and a function that adds one
 */
function useDecidedElsewhere(shown, page) {
  const [known, setKnown] = useState(/** @type {Record<string, any>} */ ({}));
  const missingIds = page
    ? shown
        .filter(
          (item) => item.state === "PENDING" && !known[item.id] && !page.items.some((other) => other.id === item.id),
        )
        .map((item) => item.id)
    : [];
  useEffect(() => {
    missingIds.slice(0, 10).forEach((id) =>
      get(`/approvals/${id}`).then(
        (item) => {
          if (item.state !== "PENDING") setKnown((old) => ({ ...old, [id]: item }));
        },
        () => {},
      ),
    );
  }, [missingIds.join()]);
  return [known, (approval) => setKnown((old) => ({ ...old, [approval.id]: approval }))];
}

/** @param {{ query: URLSearchParams }} props */
export default function Approvals({ query }) {
  const showAll = query.get("state") === "any";
  const id = query.get("id");
  const now = useNow(5_000);
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(
    async () => {
      const page = await loadFirst("/approvals", { state: showAll ? "any" : undefined }, maxItems, PAGE);
      if (id && !page.items.some((item) => item.id === id)) page.items.unshift(await get(`/approvals/${id}`));
      return page;
    },
    [showAll, id],
    { interval: 3_000, refetchOn: maxItems },
  );
  const order = useStableOrder(list.value, `${showAll} ${id}`, id);
  const [decided, decide] = useDecidedElsewhere(order.items, list.value);
  const loaded = Boolean(list.value);
  useEffect(() => {
    if (id && loaded) document.getElementById(`approval-${id}`)?.scrollIntoView({ block: "center" });
  }, [id, loaded]);
  const onDecided = (approval) => {
    decide(approval);
    list.refetch();
  };
  const newItems = order.newItems.filter((item) => !decided[item.id]);
  return div(
    h(PageHead, { title: "Approvals", lead: "Calls that need a person's approval. Waiting costs nothing." }),
    div(
      { class: "filters" },
      div(
        { class: "chips", role: "group", "aria-label": "State" },
        button(
          {
            type: "button",
            class: "chip",
            "aria-pressed": !showAll,
            onClick: () => updateQuery({ state: "", id: "" }),
          },
          "pending",
        ),
        button(
          {
            type: "button",
            class: "chip",
            "aria-pressed": showAll,
            onClick: () => updateQuery({ state: "any", id: "" }),
          },
          "all",
        ),
      ),
    ),
    newItems.length > 0 &&
      div(
        { class: "fresh" },
        button({ type: "button", class: "primary small", onClick: order.showNew }, `${newItems.length} new below`),
      ),
    whenLoaded(list, (page) => {
      const items = order.items.map((item) => (item.state === "PENDING" && decided[item.id] ? decided[item.id] : item));
      return items.length || newItems.length
        ? div(
            items.map((approval) =>
              h(Approval, { key: approval.id, approval, now, onDecided, chosen: approval.id === id }),
            ),
            page.next &&
              div(
                { class: "list-foot" },
                button(
                  { type: "button", class: "quiet", onClick: () => setMaxItems(page.items.length + PAGE) },
                  "Show older",
                ),
              ),
          )
        : emptyState(
            "No approvals pending",
            p(
              "A call that needs approval under the policy appears here. " +
                "By default, these are calls of tools that delete or send something, such as ",
              el.code("demo.send_mail"),
              ".",
            ),
          );
    }),
  );
}
