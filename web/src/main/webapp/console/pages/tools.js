import { get, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useLoad, useSettled } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { visible } from "../lib/escape.js";
import { empty, Head, loaded, pill } from "../components/ui.js";
import { Json } from "../components/code.js";

const { button, details, div, input, label, li, p, span, summary, ul } = el;

/** The hints that a tool declares. They are data from the backend, not verified. */
export const hints = (tool) => [
  tool.destructive && pill("bad", "destructive"),
  tool.readOnly && pill("good", "read-only"),
  !tool.readOnly && tool.idempotent && pill("", "idempotent"),
  !tool.readOnly && !tool.idempotent && !tool.destructive && pill("", "has effects"),
];

/** Names and types of the arguments. @param {any} schema */
const signature = (schema) => {
  const names = Object.entries(schema?.properties ?? {});
  return names.length
    ? `{ ${names.map(([name, it]) => `${name}${schema.required?.includes(name) ? "" : "?"}: ${it?.type ?? "any"}`).join(", ")} }`
    : "";
};

const Tool = ({ tool }) =>
  details(
    { class: "tool", name: "tool" },
    summary(
      span({ class: "tool-name mono" }, visible(tool.name)),
      span({ class: "tool-hints" }, hints(tool)),
      span({ class: "tool-what" }, visible(tool.description.split("\n")[0])),
    ),
    div(
      { class: "tool-detail" },
      p({ class: "wrap pre" }, visible(tool.description)),
      p(el.code({ class: "call-form" }, "await ", visible(tool.call), "(", visible(signature(tool.inputSchema)), ")")),
      p(link(`/tool-graph?tool=${encodeURIComponent(tool.name)}`, {}, "Tools called before and after it")),
      div(
        { class: "columns" },
        div(el.h3("Arguments (JSON Schema)"), h(Json, { value: tool.inputSchema, label: `Arguments of ${tool.name}` })),
        tool.outputSchema !== undefined &&
          div(el.h3("Result (JSON Schema)"), h(Json, { value: tool.outputSchema, label: `Result of ${tool.name}` })),
      ),
    ),
  );

/** @param {{ query: URLSearchParams }} props */
export default function Tools({ query: asked }) {
  const q = asked.get("q") ?? "";
  const backend = asked.get("backend") ?? "";
  const [text, setText] = useState(q);
  const settled = useSettled(text, 200);
  useEffect(() => {
    if (settled !== q) refine({ q: settled });
  }, [settled]);
  const list = useLoad(() => get("/tools" + query({ q: q.trim(), backend })), [q.trim(), backend]);
  return div(
    h(Head, {
      title: "Tools",
      lead: "All tools that a script can be granted.",
      actions: [
        link("/tool-graph", { class: "button" }, "Tool graph"),
        link("/backends", { class: "button" }, "Backends"),
      ],
    }),
    div(
      { class: "filters", role: "search" },
      label(
        { class: "search" },
        span({ class: "unseen" }, "Search"),
        input({
          type: "search",
          value: text,
          placeholder: "Search names, descriptions, intents",
          onInput: (event) => setText(event.target.value),
        }),
      ),
      backend &&
        button(
          { type: "button", class: "chip", "aria-pressed": true, onClick: () => refine({ backend: "" }) },
          "backend ",
          visible(backend),
          " ✕",
        ),
    ),
    loaded(list, ({ items }) => {
      if (!items.length)
        return empty("No tools found", p("Try other words. A backend that is not up yet shows its last known tools."));
      const groups = new Map();
      items.forEach((tool) => groups.set(tool.backend, [...(groups.get(tool.backend) ?? []), tool]));
      return ul(
        { class: "bare" },
        [...groups].map(([name, tools]) =>
          li(
            { key: name },
            el.h2({ class: "group-title" }, visible(name), span({ class: "dim" }, ` ${tools.length}`)),
            div(
              { class: "panel tool-list" },
              tools.map((tool) => h(Tool, { key: tool.name, tool })),
            ),
          ),
        ),
      );
    }),
  );
}
