import { get, queryString } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useQuery, useDebounced } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";
import { emptyState, PageHead, whenLoaded, pill } from "../components/ui.js";
import { Json } from "../components/code.js";

const { button, details, div, input, label, li, p, span, summary, ul } = el;

/** The hints that a tool declares. They are data from the backend, not verified. */
export const toolHints = (tool) => [
  tool.destructive && pill("bad", "destructive"),
  tool.readOnly && pill("good", "read-only"),
  !tool.readOnly && tool.idempotent && pill("", "idempotent"),
  !tool.readOnly && !tool.idempotent && !tool.destructive && pill("", "has effects"),
  tool.unusable !== undefined && pill("bad", "unusable"),
];

/** Names and types of the arguments. @param {any} schema */
const signature = (schema) => {
  const names = Object.entries(schema?.properties ?? {});
  const member = ([name, it]) => `${name}${schema.required?.includes(name) ? "" : "?"}: ${it?.type ?? "any"}`;
  return names.length ? `{ ${names.map(member).join(", ")} }` : "";
};

const Tool = ({ tool }) =>
  details(
    { class: "tool", name: "tool" },
    summary(
      span({ class: "tool-name mono" }, escapeControls(tool.name)),
      span({ class: "tool-hints" }, toolHints(tool)),
      span({ class: "tool-what" }, escapeControls(tool.description.split("\n")[0])),
    ),
    div(
      { class: "tool-detail" },
      tool.unusable !== undefined && p({ class: "wrap" }, "It cannot be called: ", escapeControls(tool.unusable)),
      p({ class: "wrap pre" }, escapeControls(tool.description)),
      p(
        el.code(
          { class: "call-form" },
          "await ",
          escapeControls(tool.call),
          "(",
          escapeControls(signature(tool.inputSchema)),
          ")",
        ),
      ),
      p(link(`/tool-graph?tool=${encodeURIComponent(tool.name)}`, {}, "Tools called before and after it")),
      div(
        { class: "columns" },
        div(el.h3("Arguments (JSON Schema)"), h(Json, { value: tool.inputSchema, label: `Arguments of ${tool.name}` })),
        tool.outputSchema !== undefined &&
          div(
            el.h3("Result (JSON Schema)"),
            tool.outputSchemaProblem !== undefined &&
              p({ class: "wrap" }, "It is not read: ", escapeControls(tool.outputSchemaProblem)),
            h(Json, { value: tool.outputSchema, label: `Result of ${tool.name}` }),
          ),
      ),
    ),
  );

/** @param {{ query: URLSearchParams }} props */
export default function Tools({ query }) {
  const q = query.get("q") ?? "";
  const backend = query.get("backend") ?? "";
  const [text, setText] = useState(q);
  const debounced = useDebounced(text, 200);
  useEffect(() => {
    if (debounced !== q) updateQuery({ q: debounced });
  }, [debounced]);
  const list = useQuery(() => get("/tools" + queryString({ q: q.trim(), backend })), [q.trim(), backend]);
  return div(
    h(PageHead, {
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
          { type: "button", class: "chip", "aria-pressed": true, onClick: () => updateQuery({ backend: "" }) },
          "backend ",
          escapeControls(backend),
          " ✕",
        ),
    ),
    whenLoaded(list, ({ items }) => {
      if (!items.length)
        return emptyState(
          "No tools found",
          p("Try other words. A backend that is not up yet shows its last known tools."),
        );
      const groups = new Map();
      items.forEach((tool) => groups.set(tool.backend, [...(groups.get(tool.backend) ?? []), tool]));
      return ul(
        { class: "bare" },
        [...groups].map(([name, tools]) =>
          li(
            { key: name },
            el.h2({ class: "group-title" }, escapeControls(name), span({ class: "dim" }, ` ${tools.length}`)),
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
