import { first, get, query } from "../lib/api.js";
import { el, h, useEffect, useRef, useState } from "../lib/dom.js";
import { useAction, useLoad, useSettled } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { shortened, visible } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { breaches } from "../components/breaches.js";
import { empty, Head, loaded, pill, trouble } from "../components/ui.js";

const { button, div, input, label, li, ol, p, span } = el;
const PAGE = 50;
/** Maximum page size of the service. */
const ANSWER = 200;
/** Maximum number of pages searched for broken capabilities per request of the user; each page is expensive. */
const LOOKS = 4;

/**
 * Loads broken capabilities from a cursor on. A page may be empty although more follow.
 * @param {string} q @param {string} [after]
 */
async function breaking(q, after) {
  const items = [];
  let next = after;
  let looks = 0;
  do {
    const page = await get("/capabilities" + query({ q, broken: "true", limit: PAGE, cursor: next }));
    items.push(...page.items);
    next = page.next;
    looks += 1;
  } while (next && items.length < PAGE && looks < LOOKS);
  return { items, next };
}

/** @param {{ query: URLSearchParams }} props */
export default function Capabilities({ query: asked }) {
  const q = asked.get("q")?.trim() ?? "";
  const broken = asked.get("broken") === "true" ? "true" : "";
  const [text, setText] = useState(q);
  const settled = useSettled(text, 300);
  useEffect(() => {
    if (settled.trim() !== q) refine({ q: settled.trim() });
  }, [settled]);
  const [most, setMost] = useState(PAGE);
  const list = useLoad(() => (broken ? breaking(q) : first("/capabilities", { q }, most, ANSWER)), [q, broken], {
    every: broken ? 0 : 15_000,
    more: most,
  });
  useEffect(() => setMost(PAGE), [q, broken]);
  const looking = useAction();
  const wanted = useRef("");
  wanted.current = JSON.stringify([q, broken]);
  const further = async () => {
    const { items, next } = list.value;
    const asking = wanted.current;
    const page = await looking.run(() => breaking(q, next));
    if (page && wanted.current === asking) list.set({ items: [...items, ...page.items], next: page.next });
  };
  const lookFurther = () => [
    trouble(looking.failure),
    button(
      { type: "button", class: "quiet", disabled: looking.busy, onClick: further },
      looking.busy ? "Searching…" : "Search further",
    ),
  ];
  return div(
    h(Head, { title: "Capabilities", lead: "Published scripts with versions. A published version never changes." }),
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
          onClick: () => refine({ broken: broken ? "" : "true" }),
        },
        "Broken only",
      ),
    ),
    loaded(list, ({ items, next }) =>
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
                      link(`/capabilities/${encodeURIComponent(item.name)}`, { class: "mono" }, visible(item.name)),
                      span({ class: "mono dim" }, visible(item.version)),
                      item.deprecated && pill("warn", "deprecated"),
                      span({ class: "dim" }, "published ", time(item.publishedAt)),
                    ),
                    item.description && p({ class: "wrap" }, visible(shortened(item.description, 300))),
                    item.broken?.map((version) =>
                      div(
                        { key: version.version },
                        pill("bad", `${version.version} is broken`),
                        breaches(version.breaches),
                      ),
                    ),
                    item.tools.length > 0 &&
                      p({ class: "dim small-text wrap" }, "calls ", visible(item.tools.join(", "))),
                  ),
                ),
              ),
            ),
            next &&
              div(
                { class: "list-foot" },
                broken
                  ? lookFurther()
                  : button(
                      { type: "button", class: "quiet", onClick: () => setMost(items.length + PAGE) },
                      "Show more",
                    ),
              ),
          )
        : broken && next
          ? empty("No broken capabilities found so far", lookFurther())
          : q || broken
            ? empty(
                broken ? "No broken capabilities" : "No matches",
                button(
                  {
                    type: "button",
                    onClick: () => {
                      setText("");
                      refine({ q: "", broken: "" });
                    },
                  },
                  "Show all",
                ),
              )
            : empty(
                "No capabilities yet",
                p("Publish a script for others with ", el.code("sallyport capability publish"), "."),
              ),
    ),
  );
}
