import { get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { link } from "../lib/route.js";
import { useMay } from "../lib/session.js";
import { visible } from "../lib/text.js";
import { duration, time } from "../lib/time.js";
import { empty, facts, Head, loaded, loading, panel, pill, trouble } from "../parts/basics.js";
import { Json } from "../parts/code.js";

const { button, div, li, p, span, ul } = el;
const KINDS = { ready: "good", starting: "", degraded: "warn", down: "bad" };
const BREAKER = { open: "bad", probing: "warn" };
const ORIGINS = { file: "the installation's file", api: "the API", "built-in": "built in" };

function Quarantined({ name, tool, again }) {
  const may = useMay();
  const { busy, failure, run } = useAction();
  return li({ class: "note note-bad" }, div(span({ class: "note-title mono" }, visible(tool.name)), p("Its definition changed. It is not called until somebody has looked at it."),
    div({ class: "columns" }, div(el.h3("As accepted"), h(Json, { value: tool.definition, label: "Definition as accepted" })), div(el.h3("As it is now"), h(Json, { value: tool.pending ?? null, label: "Definition as it is now" }))),
    trouble(failure)), may && button({ type: "button", disabled: busy, onClick: () => run(() => post(`/backends/${name}/tools/${encodeURIComponent(tool.original)}/accept`, { hash: tool.pendingHash })).then(again) }, "Accept the change"));
}

function More({ name, again }) {
  const one = useLoad(() => get(`/backends/${encodeURIComponent(name)}`), [name], { every: 5_000 });
  if (!one.value) return one.failure ? trouble(one.failure, one.again) : loading();
  const { breaker, settings, status, tools = [] } = one.value;
  const quarantined = tools.filter((tool) => tool.quarantined);
  return div(status.lastError && div({ class: "note note-bad" }, p({ class: "mono wrap" }, visible(status.lastError))),
    breaker?.lastFailure && !status.lastError?.includes(breaker.lastFailure) && div({ class: "note" }, p("The last call that was not answered:"), p({ class: "mono wrap" }, visible(breaker.lastFailure))),
    quarantined.length > 0 && ul({ class: "bare" }, quarantined.map((tool) => h(Quarantined, { key: tool.name, name, tool, again: () => { one.again(); again(); } }))),
    settings && Object.keys(settings).length > 0 && div(el.h3("Settings"), h(Json, { value: settings, label: `Settings of ${name}` })),
    tools.length > 0 && div(el.h3("Tools"), ul({ class: "tool-names" }, tools.map((tool) => li({ key: tool.name, class: "mono" }, visible(tool.name), !tool.present && pill("quiet", "gone"))))));
}

function Backend({ backend, again }) {
  const may = useMay("operator");
  const [open, setOpen] = useState(false);
  const { busy, failure, run } = useAction();
  const { breaker, calls, latency, status } = backend;
  const answered = calls.answered + calls.failed;
  return panel({
    label: [span({ class: "mono" }, visible(backend.name)), " ", pill(KINDS[status.state] ?? "", backend.enabled ? status.state : "disabled"), backend.quarantinedCount > 0 && pill("bad", `${backend.quarantinedCount} quarantined`), BREAKER[breaker?.state] && pill(BREAKER[breaker.state], `breaker ${breaker.state}`)],
    actions: may && backend.kind !== "built-in" && backend.enabled && backend.origin !== "built-in" && button({ type: "button", disabled: busy, onClick: () => run(() => post(`/backends/${encodeURIComponent(backend.name)}/restart`)).then(again) }, busy ? "Restarting…" : "Restart"),
  },
  trouble(failure),
  facts([["Kind", span({ class: "mono" }, visible(backend.kind))], ["Configured by", ORIGINS[backend.origin] ?? backend.origin], [`${status.state} since`, time(status.since)], ["Breaker", BREAKER[breaker?.state] && [`${breaker.state}, a call is sent from `, time(breaker.until), " on"]], ["Tools", backend.toolCount > 0 ? link(`/tools?backend=${encodeURIComponent(backend.name)}`, {}, backend.toolCount) : "none"],
    ["Calls", [answered.toLocaleString(), calls.failed > 0 && span({ class: "bad-text" }, `, ${calls.failed.toLocaleString()} of them not answered`)]], ["Under way", `${calls.running} running, ${calls.waiting} waiting`], ["Took lately", latency?.calls > 0 && `${duration(latency.p50Millis)} (half), ${duration(latency.p95Millis)} (95 %), ${duration(latency.p99Millis)} (99 %)`]]),
  button({ type: "button", class: "quiet small", "aria-expanded": open, onClick: () => setOpen(!open) }, open ? "Less" : "Settings and tools"),
  open && h(More, { name: backend.name, again }));
}

export default function Backends() {
  const list = useLoad(() => get("/backends"), [], { every: 3_000 });
  return div(
    h(Head, { title: "Backends", lead: "Where tools come from, as the node sees them that answers.", actions: link("/tools", { class: "button" }, "All tools") }),
    loaded(list, ({ items }) => (items.length ? div({ class: "grid" }, items.map((backend) => h(Backend, { key: backend.name, backend, again: list.again })))
      : empty("No backends", p("An MCP server or an HTTP interface is connected by a file or over ", el.code("POST /api/v1/backends"), ".")))));
}
