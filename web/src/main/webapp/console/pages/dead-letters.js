import { get, post, queryString } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, escapeControls, escapeControlsInLine } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { emptyState, PageHead, whenLoaded, errorBox } from "../components/ui.js";

const { button, div, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;

function RerunButton({ letter }) {
  const { busy, failure, run } = useAction();
  const rerun = async () => {
    const execution = await run(() => post(`/dead-letters/${letter.id}/replay`));
    if (execution) navigate(`/executions/${execution.id}`);
  };
  return div(button({ type: "button", disabled: busy, onClick: rerun }, busy ? "…" : "Run again"), errorBox(failure));
}

export default function DeadLetters() {
  const mayRerun = useHasRole("submitter", "operator");
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/dead-letters" + queryString({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < maxItems);
      return { items, next };
    },
    [],
    { interval: 5_000, refetchOn: maxItems },
  );
  return div(
    h(PageHead, {
      title: "Dead letters",
      lead: "Executions that failed because the broker gave up the delivery of their job.",
    }),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain" },
              thead(
                tr(
                  th("Execution"),
                  th("Script"),
                  th({ class: "wide-only" }, "Reason"),
                  th("Failed"),
                  th(span({ class: "unseen" }, "Run again")),
                ),
              ),
              tbody(
                items.map((letter) =>
                  tr(
                    { key: letter.id },
                    td(link(`/executions/${letter.id}`, { class: "mono" }, shortId(letter.id))),
                    td({ class: "mono wrap" }, escapeControlsInLine(letter.execution.codePreview)),
                    td({ class: "wide-only wrap" }, escapeControls(letter.reason)),
                    td(time(letter.at)),
                    td(
                      letter.replayedAs
                        ? link(`/executions/${letter.replayedAs}`, {}, "rerun")
                        : mayRerun && h(RerunButton, { letter }),
                    ),
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
        : emptyState("No dead letters", p("No executions are stuck.")),
    ),
  );
}
