import { get, post, query } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go, link } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, visible, visibleLine } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { empty, Head, loaded, trouble } from "../components/ui.js";

const { button, div, p, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;

function Replay({ letter }) {
  const { busy, failure, run } = useAction();
  const replay = async () => {
    const again = await run(() => post(`/dead-letters/${letter.id}/replay`));
    if (again) go(`/executions/${again.id}`);
  };
  return div(button({ type: "button", disabled: busy, onClick: replay }, busy ? "…" : "Run again"), trouble(failure));
}

export default function DeadLetters() {
  const may = useMay("submitter", "operator");
  const [most, setMost] = useState(PAGE);
  const list = useLoad(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/dead-letters" + query({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < most);
      return { items, next };
    },
    [],
    { every: 5_000, more: most },
  );
  return div(
    h(Head, {
      title: "Dead letters",
      lead: "Executions that failed because the broker gave up the delivery of their job.",
    }),
    loaded(list, ({ items, next }) =>
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
                    td({ class: "mono wrap" }, visibleLine(letter.execution.codePreview)),
                    td({ class: "wide-only wrap" }, visible(letter.reason)),
                    td(time(letter.at)),
                    td(
                      letter.replayedAs
                        ? link(`/executions/${letter.replayedAs}`, {}, "rerun")
                        : may && h(Replay, { letter }),
                    ),
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
        : empty("No dead letters", p("No executions are stuck.")),
    ),
  );
}
