import { get, post, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { useSession } from "../lib/session.js";
import { visible } from "../lib/text.js";
import { time } from "../lib/time.js";
import { Dialog, empty, field, Head, loaded, pill, trouble } from "../parts/basics.js";

const { button, div, form, input, label, p, span, table, tbody, td, th, thead, tr } = el;
const ROLES = [["submitter", "submits and sees executions"], ["approver", "decides approvals"], ["operator", "runs the service"], ["auditor", "sees everything, changes nothing"], ["admin", "everything, keys included"]];
const LIFETIMES = [["", "for ever"], ["7", "a week"], ["30", "a month"], ["365", "a year"]];
const DAY = 86_400_000;

function NewKey({ onClose, onMade }) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState(["submitter"]);
  const [days, setDays] = useState("365");
  const { busy, failure, run } = useAction();
  const make = async (event) => {
    event.preventDefault();
    const made = await run(() => post("/api-keys", { name: name.trim(), roles, ...(days ? { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() } : {}) }));
    if (made) onMade(made);
  };
  return h(Dialog, { title: "A new key", onClose }, form({ onSubmit: make },
    field("What it is for", input({ value: name, required: true, maxLength: 200, autoFocus: true, placeholder: "nightly batch", onInput: (event) => setName(event.target.value) })),
    el.fieldset({ class: "choices" }, el.legend({ class: "field-label" }, "Roles"), ROLES.map(([role, what]) => label({ class: "choice", key: role },
      input({ type: "checkbox", checked: roles.includes(role), onChange: (event) => setRoles(event.target.checked ? [...roles, role] : roles.filter((each) => each !== role)) }), span(role, span({ class: "field-help" }, what))))),
    field("It works", el.select({ value: days, onChange: (event) => setDays(event.target.value) }, LIFETIMES.map(([value, text]) => el.option({ key: value, value }, text)))),
    trouble(failure),
    div({ class: "decide-row" }, button({ class: "primary", type: "submit", disabled: busy || !name.trim() || !roles.length }, "Make it"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave it"))));
}

function Made({ made, onClose }) {
  const [copied, setCopied] = useState(false);
  return h(Dialog, { title: "The new key", onClose }, p("Keep it now: it is shown this once, and the service stores only a hash of it."),
    el.pre({ class: "json key-shown", tabIndex: 0, "aria-label": "The new key", role: "region" }, made.key),
    div({ class: "decide-row" }, button({ type: "button", class: "primary", onClick: () => navigator.clipboard?.writeText(made.key).then(() => setCopied(true)) }, copied ? "Copied" : "Copy"), button({ type: "button", onClick: onClose }, "I have kept it")));
}

function Revoke({ item, onClose, onDone }) {
  const { keyId } = useSession();
  const { busy, failure, run } = useAction();
  const revoke = async () => { if ((await run(() => remove(`/api-keys/${encodeURIComponent(item.id)}`))) !== undefined) onDone(); };
  return h(Dialog, { title: ["Delete “", visible(item.name), "”?"], onClose }, p("It works no more at once, and sessions that were opened with it are over.", item.id === keyId && " It is the key that you are logged in with."),
    trouble(failure), div({ class: "decide-row" }, button({ type: "button", class: "danger", disabled: busy, onClick: revoke }, "Delete the key"), button({ type: "button", class: "quiet", onClick: onClose }, "Keep it")));
}

export default function Keys() {
  const { keyId } = useSession();
  const list = useLoad(() => get("/api-keys"), []);
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  return div(
    h(Head, { title: "API keys", lead: "What callers of your tenant show that they may come in.", actions: button({ type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) }, "New key") }),
    loaded(list, ({ items }) => (items.length ? div({ class: "panel" }, table({ class: "plain" }, thead(tr(th("Name"), th("Roles"), th({ class: "wide-only" }, "Id"), th("Works until"), th(span({ class: "unseen" }, "Delete")))),
      tbody(items.map((item) => tr({ key: item.id }, td({ class: "wrap" }, visible(item.name), item.id === keyId && [" ", pill("quiet", "yours")]), td(item.roles.map((role) => pill("", role))), td({ class: "wide-only mono dim" }, visible(item.id)), td(item.expiresAt ? time(item.expiresAt) : "for ever"),
        td(button({ type: "button", class: "quiet danger-text small", onClick: () => setDialog({ kind: "revoke", item }) }, "Delete"))))))) : empty("No keys"))),
    dialog?.kind === "new" && h(NewKey, { onClose: close, onMade: (made) => { setDialog({ kind: "made", made }); list.again(); } }),
    dialog?.kind === "made" && h(Made, { made: dialog.made, onClose: close }),
    dialog?.kind === "revoke" && h(Revoke, { item: dialog.item, onClose: close, onDone: () => { close(); list.again(); } }));
}
