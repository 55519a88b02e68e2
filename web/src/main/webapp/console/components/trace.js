// The calls of an execution on one time axis.
import { classes, el, h, useState } from "../lib/dom.js";
import { escapeControls } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { Json } from "./code.js";
import { link } from "../lib/router.js";
import { emptyState, factList, pill } from "./ui.js";

const { button, div, li, ol, rect, span, svg } = el;
const TICKS = 4;
/** Whether an event of this type starts or ends a call. @type {Map<string, "start" | "end">} */
const CALL_EDGES = new Map([
  ["tool_start", "start"],
  ["capability_start", "start"],
  ["tool_end", "end"],
  ["capability_end", "end"],
]);

/**
 * Merges the events of each call.
 * @param {any[]} events
 */
export function toCalls(events) {
  const found = new Map();
  for (const event of events) {
    if (!event.call) continue;
    const call = found.get(event.call) ?? { call: event.call, tool: event.tool, notes: [] };
    const edge = CALL_EDGES.get(event.type);
    if (edge)
      Object.assign(call, {
        capability: event.type.startsWith("capability_"),
        runs: event.capability ?? call.runs,
        execution: event.execution ?? call.execution,
        replayed: event.replayed,
      });
    if (edge === "start") Object.assign(call, { start: event.at, args: event.args });
    else if (edge === "end")
      Object.assign(call, {
        end: event.at,
        success: event.success,
        result: event.result,
        error: event.error,
        millis: event.durationMillis,
        queueMillis: event.queueMillis,
        backendMillis: event.backendMillis,
        node: event.node,
        attempts: event.attempts,
      });
    else call.notes.push(event);
    found.set(event.call, call);
  }
  return [...found.values()].sort((one, other) => one.call - other.call);
}

/** Pending calls by tool, and whether all calls of a tool wait for an approval. @param {any[]} events */
export function pendingCalls(events) {
  const pending = new Map();
  for (const call of toCalls(events)) {
    if (!call.start || call.end !== undefined) continue;
    const { numbers, waits } = pending.get(call.tool) ?? { numbers: [], waits: true };
    pending.set(call.tool, { numbers: [...numbers, call.call], waits: waits && waitsForApproval(call) });
  }
  return pending;
}

const waitsForApproval = (call) => call.notes.at(-1)?.type === "approval_requested";
const callKind = (call) =>
  call.end !== undefined ? (call.success ? "good" : "bad") : waitsForApproval(call) ? "asked" : "going";

function noteFact(event) {
  if (event.decision === "fallback")
    return ["Fallback", ["made to ", escapeControls(event.tool), " instead, by rule ", escapeControls(event.rule)]];
  if (event.decision === "shared")
    return ["Shared", ["answer of ", escapeControls(event.rule), " in the same batch; the call was not sent"]];
  if (event.decision === "mock")
    return ["Answered by", ["rule ", escapeControls(event.rule), "; the call was not made"]];
  if (event.type === "policy") return ["Policy", [pill("", event.decision), " by rule ", escapeControls(event.rule)]];
  if (event.type === "approval_requested")
    return ["Approval requested", [time(event.at), " ", link(`/approvals?id=${event.approval}`, {}, "show approval")]];
  return [
    event.type.replace("approval_", "").replace(/^./, (c) => c.toUpperCase()),
    [
      time(event.at),
      event.by ? [" by key ", escapeControls(event.by)] : " automatically",
      event.note ? [": ", escapeControls(event.note)] : null,
      event.arguments !== undefined
        ? [" with changed arguments", h(Json, { value: event.arguments, label: "Arguments as approved" })]
        : null,
    ],
  ];
}

function Call({ call, from, span: totalMillis, now, open, onToggle }) {
  const start = Date.parse(call.start);
  const end = call.end ? Math.max(start, Date.parse(call.end)) : now;
  const x = ((start - from) / totalMillis) * 100;
  const width = Math.max(0.4, ((end - start) / totalMillis) * 100);
  const queued = call.queueMillis ? Math.min(width, (call.queueMillis / totalMillis) * 100) : 0;
  const durationText = call.end
    ? duration(call.millis ?? end - start)
    : waitsForApproval(call)
      ? "waiting…"
      : "running…";
  return li(
    { class: classes("call", "call-" + callKind(call), open && "call-open") },
    button(
      { class: "call-row", type: "button", "aria-expanded": open, onClick: onToggle },
      span(
        { class: "call-name" },
        span({ class: "call-number" }, call.call),
        escapeControls(call.tool),
        call.capability && !call.tool.startsWith("capabilities.") && pill("quiet", "capability"),
        call.replayed && pill("quiet", "recorded"),
      ),
      svg(
        { class: "call-bar", width: "100%", height: 18, "aria-hidden": "true" },
        rect({ class: "bar", x: `${x}%`, y: 3, width: `${width}%`, height: 12, rx: 2 }),
        queued > 0.3 && rect({ class: "bar-queue", x: `${x}%`, y: 3, width: `${queued}%`, height: 12, rx: 2 }),
      ),
      span({ class: "call-time" }, durationText),
    ),
    open &&
      div(
        { class: "call-detail" },
        factList([
          ["Started", time(call.start)],
          [
            "Duration",
            call.end && [
              duration(call.millis),
              call.queueMillis > 0 && `, ${duration(call.queueMillis)} of it waiting for a connector`,
              call.backendMillis > 0 && `, ${duration(call.backendMillis)} at the backend`,
              call.attempts > 1 && `, ${call.attempts} attempts`,
            ],
          ],
          ["Connector", call.node && ["on node ", span({ class: "mono" }, escapeControls(call.node))]],
          [
            "Child run",
            call.execution &&
              link(`/executions/${call.execution}`, { class: "mono" }, escapeControls(call.runs ?? call.tool)),
          ],
          [
            "Error",
            call.error && [pill("bad", escapeControls(call.error.code)), " ", escapeControls(call.error.message)],
          ],
          ...call.notes.map(noteFact),
        ]),
        div(
          { class: "columns" },
          div(el.h3("Arguments"), h(Json, { value: call.args, label: `Arguments of call ${call.call}` })),
          div(
            el.h3(call.success === false ? "Error" : "Result"),
            call.end === undefined
              ? el.p({ class: "dim" }, "No answer yet.")
              : h(Json, {
                  value: call.success ? (call.result ?? null) : call.error,
                  label: `Answer to call ${call.call}`,
                }),
          ),
        ),
      ),
  );
}

/** @param {{ events: any[], startedAt?: string, finishedAt?: string, now: number }} props */
export function Waterfall({ events, startedAt, finishedAt, now }) {
  const [open, setOpen] = useState(/** @type {number | null} */ (null));
  const all = toCalls(events).filter((call) => call.start);
  if (!all.length) return emptyState("No calls", el.p("Tool calls appear here when the script makes them."));
  const from = Math.min(Date.parse(startedAt ?? all[0].start), ...all.map((call) => Date.parse(call.start)));
  const to = Math.max(
    ...all.map((call) => (call.end ? Date.parse(call.end) : now)),
    finishedAt ? Date.parse(finishedAt) : 0,
    from + 1,
  );
  return div(
    { class: "waterfall" },
    div(
      { class: "axis", "aria-hidden": "true" },
      span(),
      div(Array.from({ length: TICKS + 1 }, (_, n) => span({ key: n }, duration(((to - from) * n) / TICKS)))),
      span(),
    ),
    ol(
      { class: "calls" },
      all.map((call) =>
        h(Call, {
          key: call.call,
          call,
          from,
          span: to - from,
          now,
          open: open === call.call,
          onToggle: () => setOpen(open === call.call ? null : call.call),
        }),
      ),
    ),
  );
}
