import { loadFirst } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls, shortId } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { emptyState, PageHead, whenLoaded, pill } from "../components/ui.js";
import { countsBar, countsLegend, endedCount } from "../components/counts.js";

const { button, div, li, ol, p, span } = el;
const PAGE = 25;

export default function Batches() {
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(() => loadFirst("/batches", {}, maxItems, PAGE), [], { interval: 3_000, refetchOn: maxItems });
  const maySubmit = useHasRole("submitter");
  return div(
    h(PageHead, {
      title: "Batches",
      lead: "Executions submitted together.",
      actions: maySubmit && link("/batches/new", { class: "button primary" }, "Run rows…"),
    }),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            ol(
              { class: "cards" },
              items.map((batch) =>
                li(
                  { key: batch.id, class: "panel" },
                  div(
                    { class: "panel-body batch-card" },
                    div(
                      { class: "batch-line" },
                      link(`/batches/${batch.id}`, { class: "mono" }, shortId(batch.id)),
                      batch.capability && span({ class: "mono" }, escapeControls(batch.capability)),
                      span({ class: "dim" }, time(batch.createdAt)),
                      batch.retryOf && pill("quiet", "retry"),
                      batch.stopped && pill("bad", "stopped"),
                      span({ class: "spring" }),
                      span(
                        `${endedCount(batch.counts).toLocaleString()} of ` +
                          (batch.total - batch.refused).toLocaleString(),
                      ),
                    ),
                    countsBar(batch.counts, batch.total),
                    countsLegend(batch.counts),
                  ),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMaxItems(maxItems + PAGE) }, "Show older"),
              ),
          )
        : emptyState(
            "No batches yet",
            p(
              "Submit many scripts at once with ",
              el.code("sallyport batch items.ndjson"),
              " or ",
              el.code("POST /api/v1/batches"),
              ".",
            ),
            maySubmit && link("/batches/new", { class: "button primary" }, "Run rows…"),
          ),
    ),
  );
}
