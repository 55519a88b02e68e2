import { get, post, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { link, refine } from "../lib/route.js";
import { useMay } from "../lib/session.js";
import { shortId, visible } from "../lib/text.js";
import { duration, useNow } from "../lib/time.js";
import { Dialog, empty, Head, loaded, trouble } from "../parts/basics.js";
import { callbackAnswer, callbackState, callbackTime, SendAgain } from "../parts/callback.js";

const { button, div, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
const STATES = [["failed", "given up"], ["due", "being sent"], ["waiting", "wait for the end"], ["delivered", "delivered"]];
const EMPTY = {
  failed: ["Nothing was given up", "Every callback was delivered, or is still tried."],
  due: ["Nothing is being sent", "What could not be delivered is sent again later, and stands here until then."],
  waiting: ["Nobody waits to be told", "Here stand callbacks of executions that have not ended."],
  delivered: ["Nothing was delivered yet", "A submission that names a callback has its address told when it has ended."],
};

function NewSigningSecret({ onClose }) {
  const { busy, failure, run } = useAction();
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [copied, setCopied] = useState(false);
  if (made) {
    return h(Dialog, { title: "The new signing secret", onClose }, p("Keep it now: it is shown this once. Receivers check signatures with the whole of it."),
      el.pre({ class: "json key-shown", tabIndex: 0, role: "region", "aria-label": "The new signing secret" }, made.secret),
      p({ class: "dim small-text" }, `If there was one before, it signs too for ${duration(made.previousForSeconds * 1_000)}.`),
      div({ class: "decide-row" }, button({ type: "button", class: "primary", onClick: () => navigator.clipboard?.writeText(made.secret).then(() => setCopied(true)) }, copied ? "Copied" : "Copy"), button({ type: "button", onClick: onClose }, "I have kept it")));
  }
  const make = async () => setMade((await run(() => post("/callbacks/secret"))) ?? null);
  return h(Dialog, { title: "Another signing secret?", onClose }, p("Callbacks of your tenant are signed with it from now on, and with the one before for a day, so that receivers can change over."),
    trouble(failure), div({ class: "decide-row" }, button({ type: "button", class: "primary", disabled: busy, onClick: make }, busy ? "Making it…" : "Make it"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave it")));
}

const attempts = (it) => (it.attempts === 1 ? "1 attempt" : `${it.attempts} attempts`);

const Callback = ({ it, now, onSent }) => tr({ "data-id": it.execution },
  td(link(`/executions/${it.execution}`, { class: "mono nowrap" }, shortId(it.execution)), div({ class: "mono wrap small-text narrow-only" }, visible(it.url)), div({ class: "dim wrap small-text narrow-only" }, callbackAnswer(it), it.attempts > 0 && [", ", attempts(it)])),
  td({ class: "wide-only mono wrap" }, visible(it.url)),
  td({ class: "wide-only" }, callbackState(it.state), it.attempts > 0 && div({ class: "dim small-text" }, attempts(it))),
  td({ class: "wide-only callback-answer" }, callbackAnswer(it)), td({ class: "wide-only nowrap" }, callbackTime(it, now)),
  td({ class: "nowrap" }, h(SendAgain, { callback: it, onDone: onSent })));

/** @param {{ query: URLSearchParams }} props */
export default function Callbacks({ query: asked }) {
  const mayMake = useMay();
  const state = EMPTY[asked.get("state")] ? asked.get("state") : "failed";
  const [most, setMost] = useState(PAGE);
  const [sent, setSent] = useState(0);
  const [making, setMaking] = useState(false);
  useEffect(() => { setMost(PAGE); setSent(0); }, [state]);
  const list = useLoad(async () => {
    const items = [];
    let next;
    do {
      const page = await get("/callbacks" + query({ state, limit: PAGE, cursor: next }));
      items.push(...page.items);
      next = page.next;
    } while (next && items.length < most);
    return { items, next };
  }, [state], { every: 3_000, more: most });
  const now = useNow(state === "due" ? 1_000 : 0);
  return div(
    h(Head, { title: "Callbacks", lead: "Addresses that are told when an execution has ended, because its submission asked for it.",
      actions: mayMake && button({ type: "button", onClick: () => setMaking(true) }, "New signing secret…") }),
    div({ class: "filters" }, div({ class: "chips", role: "group", "aria-label": "Which" }, STATES.map(([value, text]) =>
      button({ key: value, type: "button", class: "chip", "aria-pressed": state === value, onClick: () => refine({ state: value === "failed" ? "" : value }) }, text)))),
    sent > 0 && div({ class: "note", role: "status" }, p(sent === 1 ? "One is sent again. " : `${sent} are sent again. `, button({ type: "button", class: "quiet small", onClick: () => refine({ state: "due" }) }, "See what is being sent"))),
    loaded(list, ({ items, next }) => (items.length ? div({ class: "panel" }, table({ class: "plain" },
      thead(tr(th("Execution"), th({ class: "wide-only" }, "Address"), th({ class: "wide-only" }, "State"), th({ class: "wide-only" }, "What came back"), th({ class: "wide-only" }, state === "due" ? "Next attempt" : "When"), th(span({ class: "unseen" }, "Send again")))),
      tbody(items.map((it) => h(Callback, { key: it.execution, it, now, onSent: () => { setSent(sent + 1); list.again(); } })))),
    next && div({ class: "list-foot" }, button({ type: "button", class: "quiet", onClick: () => setMost(most + PAGE) }, "Show older")))
      : empty(EMPTY[state][0], p(EMPTY[state][1])))),
    making && h(NewSigningSecret, { onClose: () => setMaking(false) }));
}
