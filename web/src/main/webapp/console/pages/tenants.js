import { get, put, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { link, refine } from "../lib/route.js";
import { useMay, useOperates, useSession } from "../lib/session.js";
import { visible } from "../lib/text.js";
import { Dialog, empty, field, Head, loaded, panel, pill, trouble } from "../parts/basics.js";
import { QUOTAS, Quotas, Spent } from "../parts/amounts.js";

const { button, div, form, input, p, span } = el;
const MOST = 1_000;
const KEPT_DAYS = 400;
const DAY = 86_400_000;
const WHOLE = /^\d{1,16}$/;
const path = (tenant) => `/tenants/${encodeURIComponent(tenant)}/quotas`;

/** Those that anything is known of: the operator's own, and those whose calls cost something. */
async function known(own) {
  const since = new Date(Date.now() - KEPT_DAYS * DAY).toISOString().slice(0, 10);
  const [ever, month] = await Promise.all([get("/costs" + query({ by: "tenant", since, limit: MOST })), get("/costs" + query({ by: "tenant", limit: MOST }))]);
  const now = new Map(month.items.map((item) => [item.name, item]));
  const names = [...new Set([own, ...ever.items.map(({ name }) => name)])];
  return names.map((name) => now.get(name) ?? { name, cost: 0, calls: 0 });
}

/** Each quota, empty where it is as for all. */
const written = (quotas) => Object.fromEntries(QUOTAS.map(({ name }) => [name, quotas[name].own ? String(quotas[name].limit) : ""]));

function Change({ tenant, quotas, onClose, onDone }) {
  const [values, setValues] = useState(() => written(quotas));
  const { busy, failure, run } = useAction();
  const fault = QUOTAS.find(({ name }) => values[name].trim() && !WHOLE.test(values[name].trim()));
  const save = async (event) => {
    event.preventDefault();
    const body = Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim()).map(([name, text]) => [name, Number(text.trim())]));
    const set = await run(() => put(path(tenant), body));
    if (set) onDone(set);
  };
  return h(Dialog, { title: ["Quotas of “", visible(tenant), "”"], onClose }, form({ onSubmit: save },
    p({ class: "dim dialog-lead" }, "Empty is as for all tenants, 0 is no limit. They hold at once here, and within seconds on other nodes."),
    QUOTAS.map(({ name, title }, index) => field(title, input({ name, value: values[name], inputMode: "numeric", autoFocus: index === 0, placeholder: "as for all", onInput: (event) => setValues({ ...values, [name]: event.target.value }) }), name === "storedBytes" && "in bytes")),
    fault && p({ class: "bad-text", role: "status" }, "A quota is a whole number."), trouble(failure),
    div({ class: "decide-row" }, button({ type: "submit", class: "primary", disabled: busy || Boolean(fault) }, busy ? "Setting…" : "Set them"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave them"))));
}

function Tenant({ tenant }) {
  const mayChange = useMay();
  const one = useLoad(async () => {
    const it = await get(path(tenant));
    // A name such as '..' is no part of an address.
    if (it.tenant !== tenant) throw new Error("There is no tenant of this name.");
    return it;
  }, [tenant], { every: 5_000 });
  const [open, setOpen] = useState(false);
  return panel({ label: ["Tenant ", span({ class: "mono wrap" }, visible(tenant))], actions: mayChange && one.value && button({ type: "button", onClick: () => setOpen(true) }, "Change its quotas…") },
    loaded(one, ({ quotas }) => div(h(Quotas, { quotas }),
      QUOTAS.every(({ name }) => !quotas[name].used && !quotas[name].own) && p({ class: "dim small-text" }, "Nothing of a tenant of this name is here now. Quotas may be set before it comes; look at the spelling."))),
    open && one.value && h(Change, { tenant, quotas: one.value.quotas, onClose: () => setOpen(false), onDone: (set) => { one.set(set); setOpen(false); } }));
}

function Choose({ tenant }) {
  const [text, setText] = useState(tenant);
  useEffect(() => setText(tenant), [tenant]);
  const show = (event) => {
    event.preventDefault();
    refine({ tenant: text.trim() });
  };
  return form({ class: "choose", onSubmit: show },
    field("Tenant", input({ value: text, maxLength: 200, spellcheck: false, required: true, placeholder: "its name, as its keys and tokens have it", onInput: (event) => setText(event.target.value) })),
    button({ type: "submit", disabled: !text.trim() }, "Show it"));
}

function All({ tenant }) {
  const { tenant: own } = useSession();
  const list = useLoad(() => known(own), [own], { every: 10_000 });
  const chosen = tenant || own;
  return div(
    h(Choose, { tenant: chosen }),
    div({ class: "columns" },
      h(Tenant, { key: chosen, tenant: chosen }),
      panel("What their calls cost this month", loaded(list, (items) => h(Spent, { items, title: "Tenant", label: "What calls of tenants cost this month",
        name: (item) => span(link("/tenants" + query({ tenant: item.name }), { class: "wrap", "aria-current": item.name === chosen ? "true" : undefined }, visible(item.name)), item.name === own && [" ", pill("quiet", "yours")]) })),
        p({ class: "dim small-text" }, "Here stand your own and those whose calls cost something in the last 400 days; any other is found by its name."))));
}

/** @param {{ query: URLSearchParams }} props */
export default function Tenants({ query: asked }) {
  const may = useOperates("operator", "auditor");
  return div(
    h(Head, { title: "Tenants", lead: "How much each may take up of the installation, and how much it does." }),
    may ? h(All, { tenant: asked.get("tenant")?.trim() ?? "" }) : empty("This is for those who operate the installation", p("What your own tenant takes up stands under ", link("/costs", {}, "costs and quotas"), ".")));
}
