import { get, queryString } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { useQuery } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { useHasRole, useSession } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { emptyState, PageHead, whenLoaded, panel, pill } from "../components/ui.js";
import { formatCost, QuotaList, CostTable, UsageBar } from "../components/usage.js";

const { button, div, li, option, p, select, span, table, tbody, td, th, thead, tr, ul } = el;
const MAX_ROWS = 200;
/** Maximum length of a report whose rows are added up here. */
const MAX_SUMMED_ROWS = 1_000;
const SHOWN_KEYS = 8;
const DAY = 86_400_000;
const BY = [
  ["tool", "by tool"],
  ["key", "by key"],
  ["day", "by day"],
];
const TITLES = { tool: "Tool", key: "Key", day: "Day (UTC)" };
/** Value in the URL, label, and first day of each period. @type {[string, string, () => string][]} */
const SINCE = [
  ["", "this month", () => startOfMonth()],
  ["today", "today", () => daysAgo(0)],
  ["7", "the last 7 days", () => daysAgo(6)],
  ["30", "the last 30 days", () => daysAgo(29)],
  ["365", "the last year", () => daysAgo(364)],
];

/** Days in UTC, as the service counts them. */
const daysAgo = (days) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const startOfMonth = () => daysAgo(0).slice(0, 8) + "01";
const PERIODS = {
  day: { words: "per day", now: "today (UTC)", firstDay: () => daysAgo(0) },
  month: { words: "per month", now: "this month", firstDay: startOfMonth },
};

const loadReport = (by, since, limit) => get("/costs" + queryString({ by, since, limit }));

/** Loads the budgets in force, and the costs that count against them. */
async function loadBudgets() {
  const [current] = (await get("/policies")).items;
  const { budgets: all = [], costs: prices = [] } = current?.document ?? {};
  const needed = [
    ...new Set(
      all
        .filter(({ scope }) => scope !== "execution")
        .map(({ scope, period }) => `${scope === "key" ? "key" : "day"} ${period}`),
    ),
  ];
  const spent = Object.fromEntries(
    await Promise.all(
      needed.map(async (what) => {
        const [by, period] = what.split(" ");
        return [what, (await loadReport(by, PERIODS[period].firstDay(), MAX_SUMMED_ROWS)).items];
      }),
    ),
  );
  return { all, prices, spent };
}

function KeyName({ id, names }) {
  const { keyId } = useSession();
  return span(
    names[id] !== undefined ? escapeControls(names[id]) : span({ class: "mono" }, escapeControls(id)),
    id === keyId && [" ", pill("quiet", "yours")],
  );
}

function Budget({ budget, spent, names }) {
  const { name, scope, period, cost, keys = [], onExceeded } = budget;
  const overBudget = onExceeded === "ask" ? "over budget: approval required" : "over budget: calls refused";
  const head = span(
    { class: "use-head" },
    span({ class: "mono budget-name" }, escapeControls(name)),
    span({ class: "dim small-text" }, overBudget),
  );
  if (scope === "execution")
    return li(
      { class: "budget" },
      head,
      p(`${formatCost(cost)} per execution, including the capabilities that it runs`),
    );
  const items = spent[`${scope === "key" ? "key" : "day"} ${period}`] ?? [];
  if (scope === "tenant") {
    const used = items.reduce((sum, item) => sum + item.cost, 0);
    return li(
      { class: "budget" },
      head,
      h(UsageBar, {
        label: `all calls of the tenant ${PERIODS[period].now}`,
        name: `Budget ${name}`,
        used,
        max: cost,
        note: keys.length > 0 && `Applies only to calls of ${keys.length === 1 ? "one key" : `${keys.length} keys`}.`,
      }),
    );
  }
  const keyItems = items.filter((item) => !keys.length || keys.includes(item.name)).slice(0, SHOWN_KEYS);
  return li(
    { class: "budget" },
    head,
    p(`${formatCost(cost)} ${PERIODS[period].words} for each ${keys.length ? `of ${keys.length} keys` : "key"}`),
    keyItems.length
      ? keyItems.map((item) =>
          h(UsageBar, {
            key: item.name,
            label: h(KeyName, { id: item.name, names }),
            name: `Budget ${name} of key ${item.name}`,
            used: item.cost,
            max: cost,
          }),
        )
      : p({ class: "dim small-text" }, period === "day" ? "No spending today." : "No spending this month."),
  );
}

const Prices = ({ prices }) =>
  table(
    { class: "plain" },
    thead(tr(th("Tools"), th({ class: "col-number" }, "Cost per call"))),
    tbody(
      prices.map((price, index) =>
        tr(
          { key: index },
          td(
            { class: "mono wrap" },
            price.tools.map((glob) => div({ key: glob }, escapeControls(glob))),
          ),
          td(
            { class: "col-number" },
            formatCost(price.cost),
            price.multiplierPointer !== undefined &&
              div(
                { class: "dim small-text" },
                "multiplied by ",
                span({ class: "mono" }, escapeControls(price.multiplierPointer)),
              ),
          ),
        ),
      ),
    ),
  );

function Budgets({ names }) {
  const mayChange = useHasRole();
  const list = useQuery(loadBudgets, [], { interval: 5_000 });
  return panel(
    { label: "Budgets", actions: link("/policies", { class: "button" }, mayChange ? "Edit policy" : "Show policy") },
    whenLoaded(list, ({ all, prices, spent }) =>
      div(
        all.length
          ? ul(
              { class: "bare" },
              all.map((budget) => h(Budget, { key: budget.name, budget, spent, names })),
            )
          : p(
              { class: "dim" },
              prices.length
                ? "No budgets: costs are not limited."
                : [
                    "No call costs anything. Define prices and budgets in the policy as ",
                    el.code("costs"),
                    " and ",
                    el.code("budgets"),
                    ".",
                  ],
            ),
        prices.length > 0 && div(el.h3("Prices"), div({ class: "flush" }, h(Prices, { prices }))),
      ),
    ),
  );
}

function Report({ by, since, names }) {
  const choice = SINCE.find(([value]) => value === since) ?? SINCE[0];
  const list = useQuery(() => loadReport(by, choice[2](), by === "day" ? 400 : MAX_ROWS), [by, choice[0]], {
    interval: 5_000,
  });
  return panel(
    {
      label: "Cost of calls",
      actions: [
        div(
          { key: "by", class: "chips", role: "group", "aria-label": "Group by" },
          BY.map(([value, text]) =>
            button(
              {
                key: value,
                type: "button",
                class: "chip",
                "aria-pressed": by === value,
                onClick: () => updateQuery({ by: value === "tool" ? "" : value }),
              },
              text,
            ),
          ),
        ),
        select(
          {
            key: "since",
            "aria-label": "Since",
            value: choice[0],
            onChange: (event) => updateQuery({ since: event.target.value }),
          },
          SINCE.map(([value, text]) => option({ key: value, value }, text)),
        ),
      ],
    },
    whenLoaded(list, ({ items }) =>
      items.length
        ? div(
            h(CostTable, {
              items,
              title: TITLES[by],
              label: `Cost of calls ${choice[1]}, by ${by}`,
              name: by === "key" ? (item) => h(KeyName, { id: item.name, names }) : undefined,
            }),
            by !== "day" &&
              items.length >= MAX_ROWS &&
              p({ class: "dim small-text" }, `Only the ${MAX_ROWS} most expensive are shown.`),
          )
        : emptyState(
            "Nothing was spent",
            p(choice[0] === "" ? "No call cost anything this month." : `No call cost anything ${choice[1]}.`),
          ),
    ),
  );
}

/** @param {{ query: URLSearchParams }} props */
export default function Costs({ query }) {
  const by = BY.some(([value]) => value === query.get("by")) ? query.get("by") : "tool";
  const maySeeKeys = useHasRole();
  const keys = useQuery(
    () =>
      maySeeKeys
        ? get("/api-keys").then(({ items }) => Object.fromEntries(items.map(({ id, name }) => [id, name])))
        : Promise.resolve({}),
    [maySeeKeys],
  );
  const quotas = useQuery(() => get("/quotas"), [], { interval: 5_000 });
  const names = keys.value ?? {};
  return div(
    h(PageHead, { title: "Costs and quotas", lead: "Costs of tool calls, budgets, and the quotas of your tenant." }),
    div(
      { class: "columns" },
      div(
        h(Report, { by, since: query.get("since") ?? "", names }),
        panel(
          "Quotas",
          whenLoaded(quotas, (it) => h(QuotaList, { quotas: it.quotas })),
        ),
      ),
      h(Budgets, { names }),
    ),
  );
}
