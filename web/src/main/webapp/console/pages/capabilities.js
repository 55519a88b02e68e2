import { get, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useLoad, useSettled } from "../lib/load.js";
import { link, refine } from "../lib/route.js";
import { shortened, visible } from "../lib/text.js";
import { time } from "../lib/time.js";
import { empty, Head, loaded, pill } from "../parts/basics.js";

const { button, div, input, label, li, ol, p, span } = el;
const PAGE = 50;
const MOST = 200;

/** @param {{ query: URLSearchParams }} props */
export default function Capabilities({ query: asked }) {
  const q = asked.get("q")?.trim() ?? "";
  const [text, setText] = useState(q);
  const settled = useSettled(text, 300);
  useEffect(() => { if (settled.trim() !== q) refine({ q: settled.trim() }); }, [settled]);
  const [most, setMost] = useState(PAGE);
  const list = useLoad(() => get("/capabilities" + query({ q, limit: most })), [q, most], { every: 15_000 });
  return div(
    h(Head, { title: "Capabilities", lead: "Published scripts, version by version. Nothing of a version ever changes." }),
    div({ class: "filters", role: "search" }, label({ class: "search" }, span({ class: "unseen" }, "Search"),
      input({ type: "search", value: text, placeholder: "Search names and descriptions", onInput: (event) => setText(event.target.value) }))),
    loaded(list, ({ items, next }) => (items.length
      ? div(ol({ class: "cards" }, items.map((item) => li({ key: item.name, class: "panel" }, div({ class: "panel-body" },
        div({ class: "batch-line" }, link(`/capabilities/${encodeURIComponent(item.name)}`, { class: "mono" }, visible(item.name)), span({ class: "mono dim" }, visible(item.version)),
          item.deprecated && pill("warn", "deprecated"), span({ class: "dim" }, "published ", time(item.publishedAt))),
        item.description && p({ class: "wrap" }, visible(shortened(item.description, 300))),
        item.tools.length > 0 && p({ class: "dim small-text wrap" }, "calls ", visible(item.tools.join(", "))))))),
      next && div({ class: "list-foot" }, most < MOST ? button({ type: "button", class: "quiet", onClick: () => setMost(MOST) }, "Show more") : span({ class: "dim" }, "There are more; search for them.")))
      : q ? empty("Nothing fits", button({ type: "button", onClick: () => { setText(""); refine({ q: "" }); } }, "Show all"))
        : empty("No capabilities yet", p("A script that others are to run is published with ", el.code("sallyport capability publish"), ".")))));
}
