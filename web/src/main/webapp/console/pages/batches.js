import { first } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useLoad } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { shortId } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { empty, Head, loaded, pill } from "../components/ui.js";
import { countsBar, countsWords, ended } from "../components/counts.js";

const { button, div, li, ol, p, span } = el;
const PAGE = 25;

export default function Batches() {
  const [most, setMost] = useState(PAGE);
  const list = useLoad(() => first("/batches", {}, most, PAGE), [], { every: 3_000, more: most });
  return div(
    h(Head, { title: "Batches", lead: "Executions submitted together." }),
    loaded(list, ({ items, next }) =>
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
                      span({ class: "dim" }, time(batch.createdAt)),
                      batch.retryOf && pill("quiet", "retry"),
                      batch.stopped && pill("bad", "stopped"),
                      span({ class: "spring" }),
                      span(
                        `${ended(batch.counts).toLocaleString()} of ${(batch.total - batch.refused).toLocaleString()}`,
                      ),
                    ),
                    countsBar(batch.counts, batch.total),
                    countsWords(batch.counts),
                  ),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMost(most + PAGE) }, "Show older"),
              ),
          )
        : empty(
            "No batches yet",
            p(
              "Submit many scripts at once with ",
              el.code("sallyport batch items.ndjson"),
              " or ",
              el.code("POST /api/v1/batches"),
              ".",
            ),
          ),
    ),
  );
}
