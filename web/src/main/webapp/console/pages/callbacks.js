import { get, post, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, visible } from "../lib/escape.js";
import { duration, useNow } from "../lib/time.js";
import { Dialog, empty, Head, loaded, trouble } from "../components/ui.js";
import { callbackAnswer, callbackState, callbackTime, SendAgain } from "../components/callback.js";

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

function NewSigningSecret({ onClose }) {
  const { busy, failure, run } = useAction();
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [copied, setCopied] = useState(false);
  if (made) {
    return h(
      Dialog,
      { title: "New signing secret", onClose },
      p("Save it now: it is shown only once. Receivers check signatures with the complete secret."),
      el.pre({ class: "json key-shown", tabIndex: 0, role: "region", "aria-label": "New signing secret" }, made.secret),
      p(
        { class: "dim small-text" },
        `Callbacks are also signed with the previous secret, if there was one, for ${duration(made.previousForSeconds * 1_000)}.`,
      ),
      div(
        { class: "decide-row" },
        button(
          {
            type: "button",
            class: "primary",
            onClick: () => navigator.clipboard?.writeText(made.secret).then(() => setCopied(true)),
          },
          copied ? "Copied" : "Copy",
        ),
        button({ type: "button", onClick: onClose }, "Done, I saved it"),
      ),
    );
  }
  const make = async () => setMade((await run(() => post("/callbacks/secret"))) ?? null);
  return h(
    Dialog,
    { title: "Create a new signing secret?", onClose },
    p(
      "Callbacks of your tenant are signed with it from now on, and also with the previous secret for one day, so that receivers can switch.",
    ),
    trouble(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "primary", disabled: busy, onClick: make }, busy ? "Creating…" : "Create secret"),
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
      div({ class: "mono wrap small-text narrow-only" }, visible(it.url)),
      div({ class: "dim wrap small-text narrow-only" }, callbackAnswer(it), it.attempts > 0 && [", ", attempts(it)]),
    ),
    td({ class: "wide-only mono wrap" }, visible(it.url)),
    td(
      { class: "wide-only" },
      callbackState(it.state),
      it.attempts > 0 && div({ class: "dim small-text" }, attempts(it)),
    ),
    td({ class: "wide-only callback-answer" }, callbackAnswer(it)),
    td({ class: "wide-only nowrap" }, callbackTime(it, now)),
    td({ class: "nowrap" }, h(SendAgain, { callback: it, onDone: onSent })),
  );

/** @param {{ query: URLSearchParams }} props */
export default function Callbacks({ query: asked }) {
  const mayMake = useMay();
  const state = EMPTY[asked.get("state")] ? asked.get("state") : "failed";
  const [most, setMost] = useState(PAGE);
  const [sent, setSent] = useState(0);
  const [making, setMaking] = useState(false);
  useEffect(() => {
    setMost(PAGE);
    setSent(0);
  }, [state]);
  const list = useLoad(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/callbacks" + query({ state, limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < most);
      return { items, next };
    },
    [state],
    { every: 3_000, more: most },
  );
  const now = useNow(state === "due" ? 1_000 : 0);
  return div(
    h(Head, {
      title: "Callbacks",
      lead: "Requests that the service sends to the address in a submission when the execution ends.",
      actions: mayMake && button({ type: "button", onClick: () => setMaking(true) }, "New signing secret…"),
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
              onClick: () => refine({ state: value === "failed" ? "" : value }),
            },
            text,
          ),
        ),
      ),
    ),
    sent > 0 &&
      div(
        { class: "note", role: "status" },
        p(
          sent === 1 ? "1 callback is sent again. " : `${sent} callbacks are sent again. `,
          button(
            { type: "button", class: "quiet small", onClick: () => refine({ state: "due" }) },
            "Show retrying callbacks",
          ),
        ),
      ),
    loaded(list, ({ items, next }) =>
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
                      setSent(sent + 1);
                      list.again();
                    },
                  }),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMost(most + PAGE) }, "Show older"),
              ),
          )
        : empty(EMPTY[state][0], p(EMPTY[state][1])),
    ),
    making && h(NewSigningSecret, { onClose: () => setMaking(false) }),
  );
}
