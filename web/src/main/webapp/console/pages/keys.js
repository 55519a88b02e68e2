import { get, post, put, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { useSession } from "../lib/session.js";
import { visible } from "../lib/text.js";
import { time } from "../lib/time.js";
import { Dialog, empty, field, Head, loaded, pill, trouble } from "../parts/basics.js";

const { button, div, form, input, label, li, p, span, table, tbody, td, textarea, th, thead, tr, ul } = el;
const ROLES = [["submitter", "submits and sees executions"], ["approver", "decides approvals"], ["operator", "runs the service"], ["auditor", "sees everything, changes nothing"], ["admin", "everything, keys included"]];
const LIFETIMES = [["", "for ever"], ["7", "a week"], ["30", "a month"], ["365", "a year"]];
const DAY = 86_400_000;
const EVERY_TOOL = "*";

const words = (text) => text.split(/[\s,]+/).filter(Boolean);
const everyTool = (grants) => grants.length === 1 && grants[0] === EVERY_TOOL;

/** What its bearer may have called. @param {string[]} grants */
const granted = (grants) => (everyTool(grants) ? span({ class: "dim" }, "may call every tool") : grants.length ? ul({ class: "bare" }, grants.map((glob) => li({ key: glob, class: "mono wrap" }, visible(glob)))) : span({ class: "dim" }, "may call no tool"));

/** @param {{ text: string, set: (text: string) => void, empty: string }} props */
const Grants = ({ text, set, empty: none }) => field("Tools that may be called with it", textarea({ class: "mono", rows: 3, value: text, placeholder: none, spellcheck: false, onInput: (event) => set(event.target.value) }),
  "Names and globs, such as demo.*, a line each. Whoever submits with the key can grant a script no more than these.");

function NewKey({ onClose, onMade }) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState(["submitter"]);
  const [days, setDays] = useState("365");
  const [grants, setGrants] = useState("");
  const { busy, failure, run } = useAction();
  const make = async (event) => {
    event.preventDefault();
    const made = await run(() => post("/api-keys", { name: name.trim(), roles, ...(grants.trim() ? { grants: words(grants) } : {}), ...(days ? { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() } : {}) }));
    if (made) onMade(made);
  };
  return h(Dialog, { title: "A new key", onClose }, form({ onSubmit: make },
    field("What it is for", input({ value: name, required: true, maxLength: 200, autoFocus: true, placeholder: "nightly batch", onInput: (event) => setName(event.target.value) })),
    el.fieldset({ class: "choices" }, el.legend({ class: "field-label" }, "Roles"), ROLES.map(([role, what]) => label({ class: "choice", key: role },
      input({ type: "checkbox", checked: roles.includes(role), onChange: (event) => setRoles(event.target.checked ? [...roles, role] : roles.filter((each) => each !== role)) }), span(role, span({ class: "field-help" }, what))))),
    h(Grants, { text: grants, set: setGrants, empty: "every tool" }),
    field("It works", el.select({ value: days, onChange: (event) => setDays(event.target.value) }, LIFETIMES.map(([value, text]) => el.option({ key: value, value }, text)))),
    trouble(failure),
    div({ class: "decide-row" }, button({ class: "primary", type: "submit", disabled: busy || !name.trim() || !roles.length }, "Make it"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave it"))));
}

function ChangeGrants({ item, onClose, onDone }) {
  const [text, setText] = useState(item.grants.join("\n"));
  const { busy, failure, run } = useAction();
  const change = async (event) => {
    event.preventDefault();
    if (await run(() => put(`/api-keys/${encodeURIComponent(item.id)}/grants`, { grants: words(text) }))) onDone();
  };
  return h(Dialog, { title: ["Grants of “", visible(item.name), "”"], onClose }, form({ onSubmit: change },
    h(Grants, { text, set: setText, empty: "no tool" }),
    p({ class: "dim" }, words(text).length ? "It holds at once, also for what was submitted with the key and is under way." : "With none, nothing that was submitted with the key calls a tool: at once, also what is under way."),
    trouble(failure),
    div({ class: "decide-row" }, button({ class: "primary", type: "submit", disabled: busy }, "Grant these"), button({ type: "button", disabled: busy, onClick: () => setText(EVERY_TOOL) }, "Every tool"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave it"))));
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
    loaded(list, ({ items }) => (items.length ? div({ class: "panel" }, table({ class: "plain" }, thead(tr(th("Name"), th("Roles and tools"), th({ class: "wide-only" }, "Id"), th({ class: "wide-only" }, "Last used"), th("Works until"), th(span({ class: "unseen" }, "Change")))),
      tbody(items.map((item) => tr({ key: item.id }, td({ class: "wrap" }, visible(item.name), item.id === keyId && [" ", pill("quiet", "yours")]), td(item.roles.map((role) => pill("", role)), div({ class: "small-text" }, granted(item.grants))), td({ class: "wide-only mono dim" }, visible(item.id)), td({ class: "wide-only" }, item.lastUsedAt ? time(item.lastUsedAt) : "never"), td(item.expiresAt ? time(item.expiresAt) : "for ever"),
        td({ class: "key-actions" }, div({ class: "row-actions" }, button({ type: "button", class: "quiet small", onClick: () => setDialog({ kind: "grants", item }) }, "Grants…"), button({ type: "button", class: "quiet danger-text small", onClick: () => setDialog({ kind: "revoke", item }) }, "Delete")))))))) : empty("No keys"))),
    dialog?.kind === "new" && h(NewKey, { onClose: close, onMade: (made) => { setDialog({ kind: "made", made }); list.again(); } }),
    dialog?.kind === "made" && h(Made, { made: dialog.made, onClose: close }),
    dialog?.kind === "grants" && h(ChangeGrants, { item: dialog.item, onClose: close, onDone: () => { close(); list.again(); } }),
    dialog?.kind === "revoke" && h(Revoke, { item: dialog.item, onClose: close, onDone: () => { close(); list.again(); } }));
}
