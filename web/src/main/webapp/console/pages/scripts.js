import { loadFirst } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useQuery, useDebounced } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { truncate, escapeControls, escapeControlsInLine } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { emptyState, PageHead, whenLoaded } from "../components/ui.js";

const { button, div, input, label, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
/** Maximum page size of the service. */
const MAX_PAGE_SIZE = 200;

/** @param {any} script a script as the service lists it */
const row = (script) =>
  tr(
    { key: script.name, "data-name": script.name },
    td(
      { class: "wrap" },
      link(`/scripts/${encodeURIComponent(script.name)}`, { class: "mono" }, escapeControls(script.name)),
      div({ class: "dim small-text narrow-only" }, "last use ", time(script.usedAt)),
    ),
    td({ class: "wrap" }, escapeControlsInLine(truncate(script.description, 200))),
    td({ class: "wide-only" }, time(script.usedAt)),
  );

/** @param {{ query: URLSearchParams }} props */
export default function Scripts({ query }) {
  const q = query.get("q")?.trim() ?? "";
  const [text, setText] = useState(q);
  const debounced = useDebounced(text, 300);
  useEffect(() => {
    if (debounced.trim() !== q) updateQuery({ q: debounced.trim() });
  }, [debounced]);
  const [maxItems, setMaxItems] = useState(PAGE);
  useEffect(() => setMaxItems(PAGE), [q]);
  const list = useQuery(() => loadFirst("/scripts", { q }, maxItems, MAX_PAGE_SIZE), [q], {
    interval: 15_000,
    refetchOn: maxItems,
  });
  return div(
    h(PageHead, {
      title: "Scripts",
      lead: "Saved scripts of your tenant. A script is saved when an execution with a name for it completes.",
    }),
    div(
      { class: "filters", role: "search" },
      label(
        { class: "search" },
        span({ class: "unseen" }, "Search"),
        input({
          type: "search",
          value: text,
          maxLength: 200,
          placeholder: "Search names and descriptions",
          onInput: (event) => setText(event.target.value),
        }),
      ),
    ),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain" },
              thead(tr(th("Name"), th("Description"), th({ class: "wide-only" }, "Last use"))),
              tbody(items.map(row)),
            ),
            next &&
              div(
                { class: "list-foot" },
                button(
                  { type: "button", class: "quiet", onClick: () => setMaxItems(items.length + PAGE) },
                  "Show more",
                ),
              ),
          )
        : q
          ? emptyState(
              "No matches",
              button(
                {
                  type: "button",
                  onClick: () => {
                    setText("");
                    updateQuery({ q: "" });
                  },
                },
                "Show all",
              ),
            )
          : emptyState(
              "No saved scripts yet",
              p("Save a script that works with ", el.code("sallyport scripts save"), "."),
            ),
    ),
  );
}
