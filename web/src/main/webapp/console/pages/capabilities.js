import { loadFirst, get, queryString } from "../lib/api.js";
import { el, h, useEffect, useRef, useState } from "../lib/dom.js";
import { useAction, useQuery, useDebounced } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { truncate, escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { breachList } from "../components/breaches.js";
import { emptyState, PageHead, whenLoaded, pill, errorBox } from "../components/ui.js";

const { button, div, input, label, li, ol, p, span } = el;
const PAGE = 50;
/** Maximum page size of the service. */
const MAX_PAGE_SIZE = 200;
/** Maximum number of pages searched for broken capabilities per request of the user; each page is expensive. */
const MAX_SEARCH_PAGES = 4;

/**
 * Loads broken capabilities from a cursor on. A page may be empty although more follow.
 * @param {string} q @param {string} [after]
 */
async function searchBroken(q, after) {
  const items = [];
  let next = after;
  let pages = 0;
  do {
    const page = await get("/capabilities" + queryString({ q, broken: "true", limit: PAGE, cursor: next }));
    items.push(...page.items);
    next = page.next;
    pages += 1;
  } while (next && items.length < PAGE && pages < MAX_SEARCH_PAGES);
  return { items, next };
}

/** @param {{ query: URLSearchParams }} props */
export default function Capabilities({ query }) {
  const q = query.get("q")?.trim() ?? "";
  const broken = query.get("broken") === "true" ? "true" : "";
  const [text, setText] = useState(q);
  const debounced = useDebounced(text, 300);
  useEffect(() => {
    if (debounced.trim() !== q) updateQuery({ q: debounced.trim() });
  }, [debounced]);
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(
    () => (broken ? searchBroken(q) : loadFirst("/capabilities", { q }, maxItems, MAX_PAGE_SIZE)),
    [q, broken],
    {
      interval: broken ? 0 : 15_000,
      refetchOn: maxItems,
    },
  );
  useEffect(() => setMaxItems(PAGE), [q, broken]);
  const search = useAction();
  const latestFilter = useRef("");
  latestFilter.current = JSON.stringify([q, broken]);
  const searchFurther = async () => {
    if (!list.value) return;
    const { items, next } = list.value;
    const filter = latestFilter.current;
    const page = await search.run(() => searchBroken(q, next));
    if (page && latestFilter.current === filter) list.set({ items: [...items, ...page.items], next: page.next });
  };
  const searchFurtherButton = () => [
    errorBox(search.failure),
    button(
      { type: "button", class: "quiet", disabled: search.busy, onClick: searchFurther },
      search.busy ? "Searching…" : "Search further",
    ),
  ];
  return div(
    h(PageHead, { title: "Capabilities", lead: "Published scripts with versions. A published version never changes." }),
    div(
      { class: "filters", role: "search" },
      label(
        { class: "search" },
        span({ class: "unseen" }, "Search"),
        input({
          type: "search",
          value: text,
          placeholder: "Search names and descriptions",
          onInput: (event) => setText(event.target.value),
        }),
      ),
      button(
        {
          type: "button",
          class: "chip",
          "aria-pressed": Boolean(broken),
          onClick: () => updateQuery({ broken: broken ? "" : "true" }),
        },
        "Broken only",
      ),
    ),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            ol(
              { class: "cards" },
              items.map((item) =>
                li(
                  { key: item.name, class: "panel" },
                  div(
                    { class: "panel-body" },
                    div(
                      { class: "batch-line" },
                      link(
                        `/capabilities/${encodeURIComponent(item.name)}`,
                        { class: "mono" },
                        escapeControls(item.name),
                      ),
                      span({ class: "mono dim" }, escapeControls(item.version)),
                      item.deprecated && pill("warn", "deprecated"),
                      span({ class: "dim" }, "published ", time(item.publishedAt)),
                    ),
                    item.description && p({ class: "wrap" }, escapeControls(truncate(item.description, 300))),
                    item.broken?.map((version) =>
                      div(
                        { key: version.version },
                        pill("bad", `${version.version} is broken`),
                        breachList(version.breaches),
                      ),
                    ),
                    item.tools.length > 0 &&
                      p({ class: "dim small-text wrap" }, "calls ", escapeControls(item.tools.join(", "))),
                  ),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                broken
                  ? searchFurtherButton()
                  : button(
                      { type: "button", class: "quiet", onClick: () => setMaxItems(items.length + PAGE) },
                      "Show more",
                    ),
              ),
          )
        : broken && next
          ? emptyState("No broken capabilities found so far", searchFurtherButton())
          : q || broken
            ? emptyState(
                broken ? "No broken capabilities" : "No matches",
                button(
                  {
                    type: "button",
                    onClick: () => {
                      setText("");
                      updateQuery({ q: "", broken: "" });
                    },
                  },
                  "Show all",
                ),
              )
            : emptyState(
                "No capabilities yet",
                p("Publish a script for others with ", el.code("sallyport capability publish"), "."),
              ),
    ),
  );
}
