import { get, put, queryString } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { useHasRole, useIsOperator, useSession } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { Dialog, emptyState, formField, PageHead, whenLoaded, panel, pill, errorBox } from "../components/ui.js";
import { formatCost, QUOTAS, QuotaList } from "../components/usage.js";

const { button, caption, div, form, input, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
const WHOLE_NUMBER = /^\d{1,16}$/;
const quotasPath = (tenant) => `/tenants/${encodeURIComponent(tenant)}/quotas`;

/** Loads the first `maxItems` tenants. @param {number} maxItems */
async function loadTenants(maxItems) {
  const items = [];
  let next;
  do {
    const page = await get("/tenants" + queryString({ limit: PAGE, cursor: next }));
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < maxItems);
  return { items, next };
}

/** The quotas as texts; empty where the default for all tenants applies. */
const toTexts = (quotas) =>
  Object.fromEntries(QUOTAS.map(({ name }) => [name, quotas[name].overridden ? String(quotas[name].limit) : ""]));

function ChangeQuotasDialog({ tenant, quotas, onClose, onDone }) {
  const [values, setValues] = useState(() => toTexts(quotas));
  const { busy, failure, run } = useAction();
  const fault = QUOTAS.find(({ name }) => values[name].trim() && !WHOLE_NUMBER.test(values[name].trim()));
  const save = async (event) => {
    event.preventDefault();
    const body = Object.fromEntries(
      Object.entries(values)
        .filter(([, text]) => text.trim())
        .map(([name, text]) => [name, Number(text.trim())]),
    );
    const saved = await run(() => put(quotasPath(tenant), body));
    if (saved) onDone(saved);
  };
  return h(
    Dialog,
    { title: ["Quotas of “", escapeControls(tenant), "”"], onClose },
    form(
      { onSubmit: save },
      p(
        { class: "dim dialog-lead" },
        "Empty: the default for all tenants. 0: no limit. " +
          "Changes apply immediately on this node and within seconds on other nodes.",
      ),
      QUOTAS.map(({ name, title }, index) =>
        formField(
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
      errorBox(failure),
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
  const mayChange = useHasRole();
  const one = useQuery(
    async () => {
      const it = await get(quotasPath(tenant));
      // A name such as '..' is not a valid part of a URL path.
      if (it.tenant !== tenant) throw new Error("There is no tenant with this name.");
      return it;
    },
    [tenant],
    { interval: 5_000 },
  );
  const [open, setOpen] = useState(false);
  return panel(
    {
      label: ["Tenant ", span({ class: "mono wrap" }, escapeControls(tenant))],
      actions: mayChange && one.value && button({ type: "button", onClick: () => setOpen(true) }, "Change quotas…"),
    },
    whenLoaded(one, ({ quotas }) =>
      div(
        h(QuotaList, { quotas }),
        QUOTAS.every(({ name }) => !quotas[name].used && !quotas[name].overridden) &&
          p(
            { class: "dim small-text" },
            "No data of a tenant with this name exists. Check the spelling, or set its quotas in advance.",
          ),
      ),
    ),
    open &&
      one.value &&
      h(ChangeQuotasDialog, {
        tenant,
        quotas: one.value.quotas,
        onClose: () => setOpen(false),
        onDone: (saved) => {
          one.set(saved);
          setOpen(false);
        },
      }),
  );
}

function TenantForm({ tenant }) {
  const [text, setText] = useState(tenant);
  useEffect(() => setText(tenant), [tenant]);
  const show = (event) => {
    event.preventDefault();
    updateQuery({ tenant: text.trim() });
  };
  return form(
    { class: "choose", onSubmit: show },
    formField(
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

const TenantRow = ({ use, own, chosen }) =>
  tr(
    { "data-name": use.tenant },
    td(
      link(
        "/tenants" + queryString({ tenant: use.tenant }),
        { class: "wrap", "aria-current": use.tenant === chosen ? "true" : undefined },
        escapeControls(use.tenant),
      ),
      use.tenant === own && [" ", pill("quiet", "yours")],
      use.ownQuotas && [" ", pill("quiet", "own quotas")],
    ),
    [use.queued, use.live].map((n) => td({ class: "col-number" }, n.toLocaleString())),
    td({ class: "col-number wide-only" }, use.apiKeys.toLocaleString()),
    td({ class: "col-number" }, formatCost(use.cost)),
  );

const TenantTable = ({ items, own, chosen }) =>
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
      tbody(items.map((use) => h(TenantRow, { key: use.tenant, use, own, chosen }))),
    ),
  );

function TenantsOverview({ tenant }) {
  const { tenant: own } = useSession();
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(() => loadTenants(maxItems), [own], { interval: 10_000, refetchOn: maxItems });
  const chosen = tenant || own;
  return div(
    h(TenantForm, { tenant: chosen }),
    div(
      { class: "columns" },
      h(Tenant, { key: chosen, tenant: chosen }),
      panel(
        "All tenants",
        whenLoaded(list, ({ items, next }) => [
          h(TenantTable, { items, own, chosen }),
          next &&
            div(
              { class: "list-foot" },
              button({ type: "button", class: "quiet", onClick: () => setMaxItems(items.length + PAGE) }, "Show more"),
            ),
        ]),
        p(
          { class: "dim small-text" },
          "A tenant is listed while data of it is stored: a key, an execution, a schedule, a quota, " +
            "an entry in the audit log. Live executions are those that have not ended.",
        ),
      ),
    ),
  );
}

/** @param {{ query: URLSearchParams }} props */
export default function Tenants({ query }) {
  const isOperator = useIsOperator("operator", "auditor");
  return div(
    h(PageHead, { title: "Tenants", lead: "Quotas and usage per tenant." }),
    isOperator
      ? h(TenantsOverview, { tenant: query.get("tenant")?.trim() ?? "" })
      : emptyState(
          "Only for operators of the installation",
          p("The usage of your own tenant is under ", link("/costs", {}, "costs and quotas"), "."),
        ),
  );
}
