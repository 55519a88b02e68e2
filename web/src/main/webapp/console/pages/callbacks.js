import { get, post, queryString } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { duration, useNow } from "../lib/time.js";
import { Dialog, emptyState, PageHead, whenLoaded, errorBox } from "../components/ui.js";
import { callbackAnswer, callbackState, callbackTime, RedeliverButton } from "../components/callback.js";

const { button, div, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
const STATES = [
  ["failed", "failed"],
  ["due", "retrying"],
  ["waiting", "pending"],
  ["delivered", "delivered"],
];
const EMPTY = {
  failed: ["No failed callbacks", "Every callback was delivered or is still being sent."],
  due: [
    "No callbacks are being sent",
    "A callback that could not be delivered is sent again later and is listed here until then.",
  ],
  waiting: ["No pending callbacks", "Callbacks of executions that have not ended are listed here."],
  delivered: [
    "No delivered callbacks yet",
    "If a submission has a callback, the service sends a request to its address when the execution ends.",
  ],
};

function NewSigningSecretDialog({ onClose }) {
  const { busy, failure, run } = useAction();
  const [created, setCreated] = useState(/** @type {any} */ (null));
  const [copied, setCopied] = useState(false);
  if (created) {
    return h(
      Dialog,
      { title: "New signing secret", onClose },
      p("Save it now: it is shown only once. Receivers check signatures with the complete secret."),
      el.pre(
        { class: "json key-shown", tabIndex: 0, role: "region", "aria-label": "New signing secret" },
        created.secret,
      ),
      p(
        { class: "dim small-text" },
        "Callbacks are also signed with the previous secret, if there was one, " +
          `for ${duration(created.previousForSeconds * 1_000)}.`,
      ),
      div(
        { class: "decide-row" },
        button(
          {
            type: "button",
            class: "primary",
            onClick: () => navigator.clipboard?.writeText(created.secret).then(() => setCopied(true)),
          },
          copied ? "Copied" : "Copy",
        ),
        button({ type: "button", onClick: onClose }, "Done, I saved it"),
      ),
    );
  }
  const createSecret = async () => setCreated((await run(() => post("/callbacks/secret"))) ?? null);
  return h(
    Dialog,
    { title: "Create a new signing secret?", onClose },
    p(
      "Callbacks of your tenant are signed with it from now on, " +
        "and also with the previous secret for one day, so that receivers can switch.",
    ),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button(
        { type: "button", class: "primary", disabled: busy, onClick: createSecret },
        busy ? "Creating…" : "Create secret",
      ),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

const attempts = (it) => (it.attempts === 1 ? "1 attempt" : `${it.attempts} attempts`);

const Callback = ({ it, now, onSent }) =>
  tr(
    { "data-id": it.execution },
    td(
      link(`/executions/${it.execution}`, { class: "mono nowrap" }, shortId(it.execution)),
      div({ class: "mono wrap small-text narrow-only" }, escapeControls(it.url)),
      div({ class: "dim wrap small-text narrow-only" }, callbackAnswer(it), it.attempts > 0 && [", ", attempts(it)]),
    ),
    td({ class: "wide-only mono wrap" }, escapeControls(it.url)),
    td(
      { class: "wide-only" },
      callbackState(it.state),
      it.attempts > 0 && div({ class: "dim small-text" }, attempts(it)),
    ),
    td({ class: "wide-only callback-answer" }, callbackAnswer(it)),
    td({ class: "wide-only nowrap" }, callbackTime(it, now)),
    td({ class: "nowrap" }, h(RedeliverButton, { callback: it, onDone: onSent })),
  );

/** @param {{ query: URLSearchParams }} props */
export default function Callbacks({ query }) {
  const mayCreate = useHasRole();
  const state = EMPTY[query.get("state")] ? query.get("state") : "failed";
  const [maxItems, setMaxItems] = useState(PAGE);
  const [redeliveredCount, setRedeliveredCount] = useState(0);
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    setMaxItems(PAGE);
    setRedeliveredCount(0);
  }, [state]);
  const list = useQuery(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/callbacks" + queryString({ state, limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < maxItems);
      return { items, next };
    },
    [state],
    { interval: 3_000, refetchOn: maxItems },
  );
  const now = useNow(state === "due" ? 1_000 : 0);
  return div(
    h(PageHead, {
      title: "Callbacks",
      lead: "Requests that the service sends to the address in a submission when the execution ends.",
      actions: mayCreate && button({ type: "button", onClick: () => setCreating(true) }, "New signing secret…"),
    }),
    div(
      { class: "filters" },
      div(
        { class: "chips", role: "group", "aria-label": "State" },
        STATES.map(([value, text]) =>
          button(
            {
              key: value,
              type: "button",
              class: "chip",
              "aria-pressed": state === value,
              onClick: () => updateQuery({ state: value === "failed" ? "" : value }),
            },
            text,
          ),
        ),
      ),
    ),
    redeliveredCount > 0 &&
      div(
        { class: "note", role: "status" },
        p(
          redeliveredCount === 1 ? "1 callback is sent again. " : `${redeliveredCount} callbacks are sent again. `,
          button(
            { type: "button", class: "quiet small", onClick: () => updateQuery({ state: "due" }) },
            "Show retrying callbacks",
          ),
        ),
      ),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain" },
              thead(
                tr(
                  th("Execution"),
                  th({ class: "wide-only" }, "Address"),
                  th({ class: "wide-only" }, "State"),
                  th({ class: "wide-only" }, "Last answer"),
                  th({ class: "wide-only" }, state === "due" ? "Next attempt" : "When"),
                  th(span({ class: "unseen" }, "Send again")),
                ),
              ),
              tbody(
                items.map((it) =>
                  h(Callback, {
                    key: it.execution,
                    it,
                    now,
                    onSent: () => {
                      setRedeliveredCount(redeliveredCount + 1);
                      list.refetch();
                    },
                  }),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMaxItems(maxItems + PAGE) }, "Show older"),
              ),
          )
        : emptyState(EMPTY[state][0], p(EMPTY[state][1])),
    ),
    creating && h(NewSigningSecretDialog, { onClose: () => setCreating(false) }),
  );
}
