import { get, query } from "../lib/api.js";
import { el, h, useMemo, useState } from "../lib/dom.js";
import { useLoad } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { visible } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { empty, field, Head, loaded, panel, pill } from "../components/ui.js";
import { Graph, health, percent } from "../components/graph.js";
import { usual } from "../components/layout.js";

const { button, div, input, label, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const SIZES = ["10", "20", "40", "60", "120"];
const SINCE = [
  ["", "all stored data"],
  ["P28D", "the last four weeks"],
  ["P7D", "the last week"],
];
const STANDARD = "40";
const around = (tool) => "/tool-graph" + query({ tool });

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
            th({ scope: "row", class: "mono" }, link(around(node.tool), {}, visible(node.tool))),
            td({ class: "col-number" }, node.calls.toLocaleString()),
            td(
              { class: "col-number" },
              health(node.success) === "good"
                ? percent(node.success)
                : pill(health(node.success), percent(node.success)),
            ),
            td({ class: "col-number" }, duration(node.meanMillis)),
            td({ class: "col-number" }, node.begins ? node.begins.toLocaleString() : ""),
            td(
              edges
                .filter(({ from }) => from === node.tool)
                .slice(0, 3)
                .map(({ to, calls }, index) =>
                  span(
                    { key: to },
                    index ? ", " : "",
                    span({ class: "mono" }, visible(to)),
                    span({ class: "dim" }, ` ${calls.toLocaleString()}`),
                  ),
                ),
            ),
            td(visible(node.intents.join(", "))),
            td({ class: "dim" }, time(node.lastAt)),
          ),
        ),
      ),
    ),
  );

/** @param {{ query: URLSearchParams }} props */
export default function ToolGraph({ query: asked }) {
  const tool = asked.get("tool") ?? "";
  const since = asked.get("since") ?? "";
  const limit = SIZES.includes(asked.get("limit")) ? asked.get("limit") : STANDARD;
  const may = useMay("submitter");
  const [rare, setRare] = useState(false);
  const graph = useLoad(() => get("/tool-graph" + query({ tool, since, limit })), [tool, since, limit]);
  const shown = useMemo(
    () =>
      graph.value ? { nodes: graph.value.nodes, edges: rare ? graph.value.edges : usual(graph.value.edges) } : null,
    [graph.value, rare],
  );
  return div(
    h(Head, {
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
          { type: "button", class: "chip", "aria-pressed": true, onClick: () => refine({ tool: "" }) },
          "around ",
          visible(tool),
          " ✕",
        ),
      div(
        { class: "graph-choices" },
        field(
          "At most",
          select(
            {
              value: limit,
              onChange: (event) => refine({ limit: event.target.value === STANDARD ? "" : event.target.value }),
            },
            SIZES.map((size) => option({ key: size, value: size }, `${size} tools`)),
          ),
        ),
        field(
          "Since",
          select(
            { value: since, onChange: (event) => refine({ since: event.target.value }) },
            SINCE.map(([value, text]) => option({ key: value, value }, text)),
            since && !SINCE.some(([value]) => value === since) && option({ value: since }, since),
          ),
        ),
      ),
      label(
        { class: "check" },
        input({ type: "checkbox", checked: rare, onChange: (event) => setRare(event.target.checked) }),
        span("Show rare steps"),
      ),
    ),
    loaded(graph, (it) => {
      if (!it.nodes.length) {
        return tool || since
          ? empty(
              "No data for this filter",
              p(tool ? "No recorded execution called this tool." : "No execution ended in that time."),
              button({ type: "button", onClick: () => refine({ tool: "", since: "" }) }, "Show all"),
            )
          : empty(
              "No data yet",
              p(
                "Half a minute after an execution has ended, the tools that it called appear here, with their order, number of calls and success rate. If executions have an ",
                el.code("intent"),
                ", a search also finds tools by its words.",
              ),
              may && link("/submit", { class: "button primary" }, "Run a script"),
            );
      }
      const hidden = it.edges.length - shown.edges.length;
      return div(
        panel("", h(Graph, { ...shown, center: tool, address: around }), h(Legend, null)),
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
