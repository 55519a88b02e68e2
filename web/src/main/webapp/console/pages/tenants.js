import { get, put, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { useMay, useOperates, useSession } from "../lib/session.js";
import { visible } from "../lib/escape.js";
import { Dialog, empty, field, Head, loaded, panel, pill, trouble } from "../components/ui.js";
import { amount, QUOTAS, Quotas } from "../components/usage.js";

const { button, caption, div, form, input, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
const WHOLE = /^\d{1,16}$/;
const path = (tenant) => `/tenants/${encodeURIComponent(tenant)}/quotas`;

/** Loads the first `wanted` tenants. @param {number} wanted */
async function tenants(wanted) {
  const items = [];
  let next;
  do {
    const page = await get("/tenants" + query({ limit: PAGE, cursor: next }));
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < wanted);
  return { items, next };
}

/** The quotas as texts; empty where the default for all tenants applies. */
const written = (quotas) =>
  Object.fromEntries(QUOTAS.map(({ name }) => [name, quotas[name].own ? String(quotas[name].limit) : ""]));

function Change({ tenant, quotas, onClose, onDone }) {
  const [values, setValues] = useState(() => written(quotas));
  const { busy, failure, run } = useAction();
  const fault = QUOTAS.find(({ name }) => values[name].trim() && !WHOLE.test(values[name].trim()));
  const save = async (event) => {
    event.preventDefault();
    const body = Object.fromEntries(
      Object.entries(values)
        .filter(([, text]) => text.trim())
        .map(([name, text]) => [name, Number(text.trim())]),
    );
    const set = await run(() => put(path(tenant), body));
    if (set) onDone(set);
  };
  return h(
    Dialog,
    { title: ["Quotas of “", visible(tenant), "”"], onClose },
    form(
      { onSubmit: save },
      p(
        { class: "dim dialog-lead" },
        "Empty: the default for all tenants. 0: no limit. Changes apply immediately on this node and within seconds on other nodes.",
      ),
      QUOTAS.map(({ name, title }, index) =>
        field(
          title,
          input({
            name,
            value: values[name],
            inputMode: "numeric",
            autoFocus: index === 0,
            placeholder: "default",
            onInput: (event) => setValues({ ...values, [name]: event.target.value }),
          }),
          name === "storedBytes" && "in bytes",
        ),
      ),
      fault && p({ class: "bad-text", role: "status" }, "A quota must be a whole number."),
      trouble(failure),
      div(
        { class: "decide-row" },
        button(
          { type: "submit", class: "primary", disabled: busy || Boolean(fault) },
          busy ? "Saving…" : "Save quotas",
        ),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function Tenant({ tenant }) {
  const mayChange = useMay();
  const one = useLoad(
    async () => {
      const it = await get(path(tenant));
      // A name such as '..' is not a valid part of a URL path.
      if (it.tenant !== tenant) throw new Error("There is no tenant with this name.");
      return it;
    },
    [tenant],
    { every: 5_000 },
  );
  const [open, setOpen] = useState(false);
  return panel(
    {
      label: ["Tenant ", span({ class: "mono wrap" }, visible(tenant))],
      actions: mayChange && one.value && button({ type: "button", onClick: () => setOpen(true) }, "Change quotas…"),
    },
    loaded(one, ({ quotas }) =>
      div(
        h(Quotas, { quotas }),
        QUOTAS.every(({ name }) => !quotas[name].used && !quotas[name].own) &&
          p(
            { class: "dim small-text" },
            "No data of a tenant with this name exists. Check the spelling, or set its quotas in advance.",
          ),
      ),
    ),
    open &&
      one.value &&
      h(Change, {
        tenant,
        quotas: one.value.quotas,
        onClose: () => setOpen(false),
        onDone: (set) => {
          one.set(set);
          setOpen(false);
        },
      }),
  );
}

function Choose({ tenant }) {
  const [text, setText] = useState(tenant);
  useEffect(() => setText(tenant), [tenant]);
  const show = (event) => {
    event.preventDefault();
    refine({ tenant: text.trim() });
  };
  return form(
    { class: "choose", onSubmit: show },
    field(
      "Tenant",
      input({
        value: text,
        maxLength: 200,
        spellcheck: false,
        required: true,
        placeholder: "tenant name as in its keys and tokens",
        onInput: (event) => setText(event.target.value),
      }),
    ),
    button({ type: "submit", disabled: !text.trim() }, "Show"),
  );
}

const Line = ({ use, own, chosen }) =>
  tr(
    { "data-name": use.tenant },
    td(
      link(
        "/tenants" + query({ tenant: use.tenant }),
        { class: "wrap", "aria-current": use.tenant === chosen ? "true" : undefined },
        visible(use.tenant),
      ),
      use.tenant === own && [" ", pill("quiet", "yours")],
      use.ownQuotas && [" ", pill("quiet", "own quotas")],
    ),
    [use.queued, use.live].map((n) => td({ class: "col-number" }, n.toLocaleString())),
    td({ class: "col-number wide-only" }, use.apiKeys.toLocaleString()),
    td({ class: "col-number" }, amount(use.cost)),
  );

const Lines = ({ items, own, chosen }) =>
  div(
    { class: "flush" },
    table(
      { class: "plain spent" },
      caption({ class: "unseen" }, "Tenants"),
      thead(
        tr(
          th({ scope: "col" }, "Tenant"),
          th({ scope: "col", class: "col-number" }, "Queued"),
          th({ scope: "col", class: "col-number" }, "Live"),
          th({ scope: "col", class: "col-number wide-only" }, "Keys"),
          th({ scope: "col", class: "col-number" }, "Cost this month"),
        ),
      ),
      tbody(items.map((use) => h(Line, { key: use.tenant, use, own, chosen }))),
    ),
  );

function All({ tenant }) {
  const { tenant: own } = useSession();
  const [wanted, setWanted] = useState(PAGE);
  const list = useLoad(() => tenants(wanted), [own], { every: 10_000, more: wanted });
  const chosen = tenant || own;
  return div(
    h(Choose, { tenant: chosen }),
    div(
      { class: "columns" },
      h(Tenant, { key: chosen, tenant: chosen }),
      panel(
        "All tenants",
        loaded(list, ({ items, next }) => [
          h(Lines, { items, own, chosen }),
          next &&
            div(
              { class: "list-foot" },
              button({ type: "button", class: "quiet", onClick: () => setWanted(items.length + PAGE) }, "Show more"),
            ),
        ]),
        p(
          { class: "dim small-text" },
          "A tenant is listed while data of it is stored: a key, an execution, a schedule, a quota, an entry in the audit log. Live executions are those that have not ended.",
        ),
      ),
    ),
  );
}

/** @param {{ query: URLSearchParams }} props */
export default function Tenants({ query: asked }) {
  const may = useOperates("operator", "auditor");
  return div(
    h(Head, { title: "Tenants", lead: "Quotas and usage per tenant." }),
    may
      ? h(All, { tenant: asked.get("tenant")?.trim() ?? "" })
      : empty(
          "Only for operators of the installation",
          p("The usage of your own tenant is under ", link("/costs", {}, "costs and quotas"), "."),
        ),
  );
}
