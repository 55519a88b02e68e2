import { get, queryString } from "../lib/api.js";
import { el, h, useMemo, useState } from "../lib/dom.js";
import { useQuery } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { emptyState, formField, PageHead, whenLoaded, panel, pill } from "../components/ui.js";
import { Graph, successLevel, percent } from "../components/graph.js";
import { frequentEdges } from "../components/layout.js";

const { button, div, input, label, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const SIZES = ["10", "20", "40", "60", "120"];
const SINCE = [
  ["", "all stored data"],
  ["P28D", "the last four weeks"],
  ["P7D", "the last week"],
];
const DEFAULT_SIZE = "40";
const graphPath = (tool) => "/tool-graph" + queryString({ tool });

const Legend = () =>
  p(
    { class: "graph-legend dim small-text" },
    span("A line leads from a tool to the tool that scripts call next. A wider line means more calls."),
    span(span({ class: "graph-key graph-good", "aria-hidden": "true" }), "95 % or more of the calls succeed"),
    span(span({ class: "graph-key graph-warn", "aria-hidden": "true" }), "70 % or more"),
    span(span({ class: "graph-key graph-bad", "aria-hidden": "true" }), "less"),
    span("× calls, success rate, mean time, ↻ immediate repeats"),
  );

const ToolTable = ({ nodes, edges }) =>
  div(
    { class: "table-scroll", tabIndex: 0, role: "region", "aria-label": "Tools as a table" },
    table(
      { class: "plain" },
      thead(
        tr(
          th({ scope: "col" }, "Tool"),
          th({ scope: "col", class: "col-number" }, "Calls"),
          th({ scope: "col", class: "col-number" }, "Succeeded"),
          th({ scope: "col", class: "col-number" }, "Mean time"),
          th({ scope: "col", class: "col-number" }, "First calls"),
          th({ scope: "col" }, "Usual next tools"),
          th({ scope: "col" }, "Intents"),
          th({ scope: "col" }, "Last call"),
        ),
      ),
      tbody(
        nodes.map((node) =>
          tr(
            { key: node.tool },
            th({ scope: "row", class: "mono" }, link(graphPath(node.tool), {}, escapeControls(node.tool))),
            td({ class: "col-number" }, node.calls.toLocaleString()),
            td(
              { class: "col-number" },
              successLevel(node.success) === "good"
                ? percent(node.success)
                : pill(successLevel(node.success), percent(node.success)),
            ),
            td({ class: "col-number" }, duration(node.meanMillis)),
            td({ class: "col-number" }, node.firstCalls ? node.firstCalls.toLocaleString() : ""),
            td(
              edges
                .filter(({ from }) => from === node.tool)
                .slice(0, 3)
                .map(({ to, calls }, index) =>
                  span(
                    { key: to },
                    index ? ", " : "",
                    span({ class: "mono" }, escapeControls(to)),
                    span({ class: "dim" }, ` ${calls.toLocaleString()}`),
                  ),
                ),
            ),
            td(escapeControls(node.intents.join(", "))),
            td({ class: "dim" }, time(node.lastAt)),
          ),
        ),
      ),
    ),
  );

/** @param {{ query: URLSearchParams }} props */
export default function ToolGraph({ query }) {
  const tool = query.get("tool") ?? "";
  const since = query.get("since") ?? "";
  const limit = SIZES.find((size) => size === query.get("limit")) ?? DEFAULT_SIZE;
  const maySubmit = useHasRole("submitter");
  const [showRare, setShowRare] = useState(false);
  const graph = useQuery(() => get("/tool-graph" + queryString({ tool, since, limit })), [tool, since, limit]);
  const edges = useMemo(() => {
    const all = graph.value?.edges ?? [];
    return showRare ? all : frequentEdges(all);
  }, [graph.value, showRare]);
  return div(
    h(PageHead, {
      title: "Tool graph",
      lead: "Which tools scripts call after which, learned from executions that have ended.",
      actions: [
        tool && link("/tool-graph", { class: "button" }, "All tools"),
        link("/tools", { class: "button" }, "Tool catalog"),
      ],
    }),
    div(
      { class: "filters" },
      tool &&
        button(
          { type: "button", class: "chip", "aria-pressed": true, onClick: () => updateQuery({ tool: "" }) },
          "around ",
          escapeControls(tool),
          " ✕",
        ),
      div(
        { class: "graph-choices" },
        formField(
          "At most",
          select(
            {
              value: limit,
              onChange: (event) =>
                updateQuery({ limit: event.target.value === DEFAULT_SIZE ? "" : event.target.value }),
            },
            SIZES.map((size) => option({ key: size, value: size }, `${size} tools`)),
          ),
        ),
        formField(
          "Since",
          select(
            { value: since, onChange: (event) => updateQuery({ since: event.target.value }) },
            SINCE.map(([value, text]) => option({ key: value, value }, text)),
            since && !SINCE.some(([value]) => value === since) && option({ value: since }, since),
          ),
        ),
      ),
      label(
        { class: "check" },
        input({ type: "checkbox", checked: showRare, onChange: (event) => setShowRare(event.target.checked) }),
        span("Show rare steps"),
      ),
    ),
    whenLoaded(graph, (it) => {
      if (!it.nodes.length) {
        return tool || since
          ? emptyState(
              "No data for this filter",
              p(tool ? "No recorded execution called this tool." : "No execution ended in that time."),
              button({ type: "button", onClick: () => updateQuery({ tool: "", since: "" }) }, "Show all"),
            )
          : emptyState(
              "No data yet",
              p(
                "Half a minute after an execution has ended, the tools that it called appear here, " +
                  "with their order, number of calls and success rate. If executions have an ",
                el.code("intent"),
                ", a search also finds tools by its words.",
              ),
              maySubmit && link("/submit", { class: "button primary" }, "Run a script"),
            );
      }
      const hidden = it.edges.length - edges.length;
      return div(
        panel("", h(Graph, { nodes: it.nodes, edges, center: tool, address: graphPath }), h(Legend, null)),
        p(
          { class: "dim small-text graph-note", role: "status" },
          `${it.nodes.length} of ${it.tools} tools, counted since ${new Date(it.since).toLocaleDateString()}.`,
          hidden > 0 && ` ${hidden} rare ${hidden === 1 ? "step is" : "steps are"} not drawn.`,
        ),
        panel("As a table", h(ToolTable, { nodes: it.nodes, edges: it.edges })),
      );
    }),
  );
}
