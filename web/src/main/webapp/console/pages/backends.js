import { get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { emptyState, factList, PageHead, whenLoaded, loadingState, panel, pill, errorBox } from "../components/ui.js";
import { Json } from "../components/code.js";

const { button, div, li, p, span, ul } = el;
const PILL_KINDS = { ready: "good", starting: "", degraded: "warn", down: "bad" };
const BREAKER = { open: "bad", probing: "warn" };
const ORIGINS = { file: "configuration file", api: "API", "built-in": "built in" };

function QuarantinedTool({ name, tool, refetch }) {
  const mayChange = useHasRole();
  const { busy, failure, run } = useAction();
  return li(
    { class: "note note-bad" },
    div(
      span({ class: "note-title mono" }, escapeControls(tool.name)),
      p("The definition changed. The tool is blocked until an administrator accepts the change."),
      div(
        { class: "columns" },
        div(el.h3("Accepted definition"), h(Json, { value: tool.definition, label: "Accepted definition" })),
        div(el.h3("Current definition"), h(Json, { value: tool.pending ?? null, label: "Current definition" })),
      ),
      errorBox(failure),
    ),
    mayChange &&
      button(
        {
          type: "button",
          disabled: busy,
          onClick: () =>
            run(() =>
              post(`/backends/${name}/tools/${encodeURIComponent(tool.name.slice(name.length + 1))}/accept`, {
                hash: tool.pendingHash,
              }),
            ).then(refetch),
        },
        "Accept change",
      ),
  );
}

function BackendDetails({ name, refetch }) {
  const one = useQuery(() => get(`/backends/${encodeURIComponent(name)}`), [name], { interval: 5_000 });
  if (!one.value) return one.failure ? errorBox(one.failure, one.refetch) : loadingState();
  const { breaker, settings, status, tools = [] } = one.value;
  const quarantined = tools.filter((tool) => tool.quarantined);
  return div(
    status.lastError && div({ class: "note note-bad" }, p({ class: "mono wrap" }, escapeControls(status.lastError))),
    breaker?.lastFailure &&
      !status.lastError?.includes(breaker.lastFailure) &&
      div(
        { class: "note" },
        p("Last call without an answer:"),
        p({ class: "mono wrap" }, escapeControls(breaker.lastFailure)),
      ),
    quarantined.length > 0 &&
      ul(
        { class: "bare" },
        quarantined.map((tool) =>
          h(QuarantinedTool, {
            key: tool.name,
            name,
            tool,
            refetch: () => {
              one.refetch();
              refetch();
            },
          }),
        ),
      ),
    settings &&
      Object.keys(settings).length > 0 &&
      div(el.h3("Settings"), h(Json, { value: settings, label: `Settings of ${name}` })),
    tools.length > 0 &&
      div(
        el.h3("Tools"),
        ul(
          { class: "tool-names" },
          tools.map((tool) =>
            li(
              { key: tool.name, class: "mono" },
              escapeControls(tool.name),
              !tool.available && pill("quiet", "removed"),
              tool.unusable && span({ class: "wrap" }, ` cannot be called: ${escapeControls(tool.unusable)}`),
            ),
          ),
        ),
      ),
  );
}

function Backend({ backend, refetch }) {
  const mayChange = useHasRole("operator");
  const [open, setOpen] = useState(false);
  const { busy, failure, run } = useAction();
  const { breaker, calls, latency, status } = backend;
  const answered = calls.answered + calls.failed;
  return panel(
    {
      label: [
        span({ class: "mono" }, escapeControls(backend.name)),
        " ",
        pill(PILL_KINDS[status.state] ?? "", backend.enabled ? status.state : "disabled"),
        backend.quarantinedCount > 0 && pill("bad", `${backend.quarantinedCount} quarantined`),
        backend.unusableCount > 0 && pill("bad", `${backend.unusableCount} unusable`),
        BREAKER[breaker?.state] && pill(BREAKER[breaker.state], `breaker ${breaker.state}`),
      ],
      actions:
        mayChange &&
        backend.kind !== "built-in" &&
        backend.enabled &&
        backend.origin !== "built-in" &&
        button(
          {
            type: "button",
            disabled: busy,
            onClick: () => run(() => post(`/backends/${encodeURIComponent(backend.name)}/restart`)).then(refetch),
          },
          busy ? "Restarting…" : "Restart",
        ),
    },
    errorBox(failure),
    factList([
      ["Kind", span({ class: "mono" }, escapeControls(backend.kind))],
      ["Source", ORIGINS[backend.origin] ?? backend.origin],
      [`${status.state} since`, time(status.since)],
      ["Breaker", BREAKER[breaker?.state] && [`${breaker.state}, next call at `, time(breaker.until)]],
      [
        "Tools",
        backend.toolCount > 0
          ? link(`/tools?backend=${encodeURIComponent(backend.name)}`, {}, backend.toolCount)
          : "none",
      ],
      [
        "Calls",
        [
          answered.toLocaleString(),
          calls.failed > 0 && span({ class: "bad-text" }, `, ${calls.failed.toLocaleString()} without an answer`),
        ],
      ],
      ["In progress", `${calls.running} running, ${calls.waiting} waiting`],
      [
        "Latency",
        latency?.calls > 0 &&
          `p50 ${duration(latency.p50Millis)} · p95 ${duration(latency.p95Millis)} · ` +
            `p99 ${duration(latency.p99Millis)}`,
      ],
    ]),
    button(
      { type: "button", class: "quiet small", "aria-expanded": open, onClick: () => setOpen(!open) },
      open ? "Hide details" : "Settings and tools",
    ),
    open && h(BackendDetails, { name: backend.name, refetch }),
  );
}

export default function Backends() {
  const list = useQuery(() => get("/backends"), [], { interval: 3_000 });
  return div(
    h(PageHead, {
      title: "Backends",
      lead: "Servers that provide tools, as seen by this node.",
      actions: link("/tools", { class: "button" }, "All tools"),
    }),
    whenLoaded(list, ({ items }) =>
      items.length
        ? div(
            { class: "grid" },
            items.map((backend) => h(Backend, { key: backend.name, backend, refetch: list.refetch })),
          )
        : emptyState(
            "No backends",
            p(
              "Connect an MCP server or an HTTP API with a configuration file or with ",
              el.code("POST /api/v1/backends"),
              ".",
            ),
          ),
    ),
  );
}
