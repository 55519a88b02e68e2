import { everyEvent, get, post, query as asked } from "../lib/api.js";
import { el, Fragment, h, useMemo, useState } from "../lib/dom.js";
import { useExecution } from "../lib/execution-stream.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, shortened, visible } from "../lib/escape.js";
import { distance, duration, time, useNow } from "../lib/time.js";
import { amount, bytes } from "../components/usage.js";
import {
  badge,
  empty,
  facts,
  Head,
  labelPills,
  loaded,
  loading,
  meter,
  panel,
  pill,
  plainLink,
  TERMINAL,
  trouble,
} from "../components/ui.js";
import { callbackAnswer, callbackState, callbackTime, SendAgain } from "../components/callback.js";
import { Children, mayNest } from "../components/children.js";
import { Code, Json, lineThatCalls } from "../components/code.js";
import { Comparison } from "../components/diff.js";
import { Output } from "../components/output.js";
import { Plan } from "../components/plan.js";
import { Timeline } from "../components/timeline.js";
import { openCalls, Waterfall } from "../components/trace.js";

const { button, div, li, p, span, ul } = el;

const TABS = [
  ["overview", "Overview"],
  ["trace", "Trace"],
  ["journal", "Journal"],
  ["files", "Files"],
  ["details", "Details"],
];

/** @type {Record<string, (why: any, now: number) => any>} */
const REASONS = {
  queue: (why) => ["It is in the queue", why.position ? ` at position ${why.position}.` : "."],
  "tenant-share": (why) => [
    "It is queued behind other executions of this tenant, because tenants share the nodes fairly",
    why.position ? `: position ${why.position} in the queue.` : ".",
  ],
  batch: (why) => [
    link(`/batches/${why.batch}`, {}, "Its batch"),
    " already runs as many executions as it may run in parallel.",
  ],
  "concurrency-key": (why) =>
    !why.heldBy?.length
      ? "Another execution with the same concurrency key has not ended. They run one after another."
      : [
          "It waits for ",
          why.heldBy
            .slice(0, 5)
            .map((id, at) => [at ? ", " : "", link(`/executions/${id}`, { class: "mono" }, shortId(id))]),
          why.heldBy.length > 5 ? " and others" : "",
          " with the same concurrency key to end.",
        ],
  "no-worker": () => "No node accepts work now. An operator should check the nodes.",
  timer: (why, now) => [`It sleeps and resumes ${why.until ? distance(why.until, now) : "when its timer fires"}.`],
  event: (why, now) => [
    "It waits for an event and resumes when one arrives",
    why.until ? `; without an event, it resumes ${distance(why.until, now)}.` : ".",
  ],
  tool: (why, now) => [
    "It waits for the answer of a tool",
    why.until ? `; the call times out ${distance(why.until, now)}.` : ".",
  ],
  scheduled: (why, now) =>
    why.until
      ? ["It does not start before ", time(why.until), ", ", distance(why.until, now), "."]
      : "Its start time has not come.",
  approval: (why, now) => [
    "A person must decide. ",
    link("/approvals", {}, "Show approvals"),
    why.until ? `; the approval expires ${distance(why.until, now)}.` : ".",
  ],
};

function Why({ id, now }) {
  const why = useLoad(() => get(`/executions/${id}/why`), [id], { every: 3_000 });
  if (!why.value || ["running", "ended"].includes(why.value.reason)) return null;
  return div(
    { class: "note", role: "status" },
    span({ class: "note-title" }, "Why does it wait?"),
    p(
      (REASONS[why.value.reason] ?? ((it) => visible(it.reason)))(why.value, now),
      why.value.since ? span({ class: "dim" }, " Since ", time(why.value.since), ".") : null,
    ),
  );
}

const CULPRITS = {
  script: " Script error",
  tool: " Tool error",
  limit: " Limit reached",
  internal: " Error in the service",
};

const Failed = ({ error }) =>
  div(
    { class: "note note-bad", role: "status" },
    div(
      span({ class: "note-title" }, pill("bad", error.code), CULPRITS[error.culprit] ?? ""),
      p({ class: "mono wrap" }, visible(error.message)),
      (error.line || error.tool) &&
        p(
          { class: "dim" },
          error.line ? `Line ${error.line}${error.column ? `, column ${error.column}` : ""}. ` : "",
          error.tool ? ["Call ", error.call, ", ", visible(error.tool), "."] : "",
        ),
      error.stack && el.details(el.summary("Stack trace"), el.pre({ class: "stack" }, visible(error.stack))),
    ),
  );

/** Marks for the lines of pending calls, where the script shows the line without doubt. */
const underWay = (source, open, forms) =>
  [...open]
    .map(([tool, { numbers, waits }]) => ({
      line: lineThatCalls(source, forms.get(tool) ?? tool),
      going: true,
      message:
        (numbers.length === 1 ? `Call ${numbers[0]} ` : `${numbers.length} calls `) +
        (waits
          ? numbers.length === 1
            ? "waits for approval"
            : "wait for approval"
          : numbers.length === 1
            ? "is pending"
            : "are pending"),
    }))
    .filter(({ line }) => line > 0);

/** How scripts write calls, by tool name, for the backends that have pending calls. */
const callForms = (backends) =>
  Promise.all(backends.map((backend) => get("/tools" + asked({ backend })))).then(
    (lists) => new Map(lists.flatMap(({ items }) => items.map((tool) => [tool.name, tool.call]))),
  );

function Script({ source, ended, error, events }) {
  const open = useMemo(() => (ended ? new Map() : openCalls(events)), [ended, events]);
  const backends = [...new Set([...open.keys()].map((tool) => tool.split(".")[0]))].sort();
  const { value: forms, failure } = useLoad(() => callForms(backends), backends);
  // Without the call forms, the line of another tool might be marked.
  const going = useMemo(
    () => (forms || failure ? underWay(source, open, forms ?? new Map()) : []),
    [source, open, forms, failure],
  );
  return h(Code, {
    source,
    marks: error?.line ? [{ line: error.line, message: shortened(error.message.split("\n")[0], 200) }] : going,
  });
}

function Source({ id, ended, error, events }) {
  const code = useLoad(() => get(`/executions/${id}/code`), [id]);
  return panel(
    { label: "Script", wide: true },
    loaded(code, ({ code: source }) => h(Script, { source, ended, error, events })),
  );
}

function Overview({ execution, events, cut, output, errorOutput, now }) {
  return div(
    execution.dryRun && h(Plan, { id: execution.id, state: execution.state }),
    !TERMINAL.has(execution.state) && h(Why, { id: execution.id, now }),
    execution.error && h(Failed, { error: execution.error }),
    execution.progress &&
      !TERMINAL.has(execution.state) &&
      panel(
        "Progress",
        meter(execution.progress.fraction, "Progress"),
        p(
          `${Math.round(execution.progress.fraction * 100)} %`,
          execution.progress.text ? [" · ", visible(execution.progress.text)] : "",
        ),
      ),
    div(
      { class: "columns" },
      panel(
        "Output",
        output
          ? h(Output, { text: output, label: "Output" })
          : p({ class: "dim" }, TERMINAL.has(execution.state) ? "No output." : "No output yet."),
        execution.truncated &&
          p(
            { class: "dim" },
            `Output cut at ${execution.limits.outputChars.toLocaleString()} characters (limit outputChars).`,
          ),
        errorOutput && div(el.h3("Error output"), h(Output, { text: errorOutput, label: "Error output", bad: true })),
      ),
      panel(
        execution.state === "COMPLETED" ? "Result" : "Input",
        execution.state === "COMPLETED" &&
          div(h(Json, { value: execution.result ?? null, label: "Result" }), el.h3("Input")),
        h(Json, { value: execution.args, label: "Input" }),
      ),
    ),
    panel(
      { label: "Calls", wide: true },
      h(Waterfall, { events, startedAt: execution.startedAt, finishedAt: execution.finishedAt, now }),
    ),
    mayNest(events, cut) && h(Children, { execution, now }),
    h(Source, { id: execution.id, ended: TERMINAL.has(execution.state), error: execution.error, events }),
  );
}

const eventLine = (event) => {
  switch (event.type) {
    case "state":
      return [badge(event.state), event.attempt ? ` attempt ${event.attempt}` : ""];
    case "tool_start":
    case "capability_start":
      return [
        `call ${event.call} of `,
        visible(event.tool),
        " ",
        span({ class: "mono dim" }, visible(shortened(JSON.stringify(event.args) ?? "", 160))),
      ];
    case "tool_end":
    case "capability_end":
      return [
        `answer to call ${event.call}, ${duration(event.durationMillis)} `,
        event.success
          ? span({ class: "mono dim" }, visible(shortened(JSON.stringify(event.result) ?? "null", 160)))
          : pill("bad", visible(event.error?.code)),
      ];
    case "cached":
      return ["cached result of ", span({ class: "mono" }, visible(event.from))];
    case "heard":
      return ["times and timers ", span({ class: "mono dim" }, visible(shortened(event.notes, 160)))];
    case "policy":
      return [`call ${event.call}: `, pill("", event.decision), " by ", visible(event.rule)];
    default:
      return [event.type.replaceAll("_", " "), event.note ? [": ", visible(event.note)] : ""];
  }
};

function Journal({ id, state }) {
  const journal = useLoad(() => everyEvent(`/executions/${id}/journal`, 2_000), [id, state]);
  return panel(
    { label: "Journal", wide: true },
    p({ class: "dim" }, "All recorded events, in order. Replay and re-runs take their answers from here."),
    loaded(journal, ({ events, cut }) =>
      events.length
        ? div(
            el.ol(
              { class: "journal" },
              events.map((event) =>
                li(
                  { key: event.seq },
                  span({ class: "journal-seq" }, event.seq),
                  span({ class: "journal-time dim" }, time(event.at)),
                  span({ class: "journal-type" }, event.type),
                  span({ class: "wrap" }, eventLine(event)),
                ),
              ),
            ),
            cut &&
              p(
                { class: "dim" },
                `The first ${events.length} entries. For the rest: `,
                el.code(`GET /api/v1/executions/${id}/journal`),
              ),
          )
        : empty("No events yet"),
    ),
  );
}

function Files({ id, state }) {
  const files = useLoad(() => get(`/executions/${id}/artifacts`), [id, state]);
  return panel(
    { label: "Files", wide: true },
    loaded(files, ({ items }) =>
      items.length
        ? el.table(
            { class: "plain" },
            el.thead(el.tr(el.th("Name"), el.th("Type"), el.th({ class: "col-number" }, "Bytes"), el.th("Written"))),
            el.tbody(
              items.map((file) =>
                el.tr(
                  { key: file.name },
                  el.td(
                    plainLink(
                      `/api/v1/executions/${id}/artifacts?name=${encodeURIComponent(file.name)}`,
                      visible(file.name),
                    ),
                  ),
                  el.td(visible(file.contentType)),
                  el.td({ class: "col-number" }, file.size.toLocaleString()),
                  el.td(time(file.createdAt)),
                ),
              ),
            ),
          )
        : empty("No files", p("A script stores a file with ", el.code("artifacts.write(name, content)"), ".")),
    ),
  );
}

/** The callback of the execution. */
function Callback({ callback }) {
  const [due, setDue] = useState(callback.state === "due");
  const one = useLoad(
    async () => {
      const found = await get(`/executions/${callback.execution}/callback`);
      setDue(found.state === "due");
      return found;
    },
    [callback.execution, callback.state],
    { every: due ? 1_500 : 0 },
  );
  const it = one.value ?? callback;
  const now = useNow(due ? 1_000 : 0);
  const sent = (again) => {
    one.set(again);
    setDue(true);
  };
  return panel(
    "Callback",
    facts([
      ["To", span({ class: "mono wrap" }, visible(it.url))],
      ["State", callbackState(it.state)],
      ["Attempts", it.attempts],
      ["Last answer", it.attempts > 0 && callbackAnswer(it)],
      ["When", callbackTime(it, now)],
    ]),
    div({ class: "decide-row" }, h(SendAgain, { callback: it, onDone: sent })),
  );
}

const Details = ({ execution: it }) =>
  div(
    { class: "columns" },
    panel(
      "Execution",
      facts([
        ["ID", span({ class: "mono wrap" }, it.id)],
        ["Intent", it.intent && visible(it.intent)],
        ["Language", it.language],
        ["Engine", it.tier],
        ["Durability", it.durability],
        ["Priority", it.priority],
        ["Attempts", it.attempt],
        ["Batch", it.batch && link(`/batches/${it.batch}`, { class: "mono" }, shortId(it.batch))],
        ["Rerun of", it.rerunOf && link(`/executions/${it.rerunOf}`, { class: "mono" }, shortId(it.rerunOf))],
        ["Child of", it.parent && link(`/executions/${it.parent}`, { class: "mono" }, shortId(it.parent))],
        ["Child runs", link(`/executions?parent=${it.id}`, {}, "capabilities that its script calls")],
        ["Submitted", time(it.createdAt)],
        ["Started", time(it.startedAt)],
        ["Ended", time(it.finishedAt)],
        ["Queued for", duration(it.queueMillis)],
        ["Ran for", duration(it.runMillis)],
        ["Cost", it.cost !== undefined && amount(it.cost)],
      ]),
    ),
    panel(
      "Limits and permissions",
      facts([
        [
          "Tools",
          it.grants.length
            ? ul(
                { class: "bare" },
                it.grants.map((glob) => li({ key: glob, class: "mono" }, visible(glob))),
              )
            : "none",
        ],
        ["Time limit", duration(it.limits.wallMillis)],
        ["CPU time", duration(it.limits.cpuMillis)],
        ["Memory", bytes(it.limits.heapBytes)],
        ["Tool calls", it.limits.toolCalls.toLocaleString()],
        ["Output", `${it.limits.outputChars.toLocaleString()} characters per stream`],
        ["Cost", it.limits.cost !== undefined && `at most ${amount(it.limits.cost)}`],
      ]),
    ),
    it.callback && h(Callback, { callback: it.callback }),
  );

function Cancel({ execution }) {
  const { busy, failure, run } = useAction();
  const asked = busy || execution.cancelRequested;
  return h(
    Fragment,
    null,
    button(
      {
        type: "button",
        class: "danger",
        disabled: asked,
        onClick: () => run(() => post(`/executions/${execution.id}/cancel`)),
      },
      asked ? "Cancelling…" : "Cancel",
    ),
    failure && failure.kind !== "already-terminal" ? span({ class: "bad-text", role: "alert" }, failure.message) : null,
  );
}

/** @param {{ id: string, query: URLSearchParams }} props */
export default function Execution({ id, query }) {
  const { execution, events, cut, output, errorOutput, failure, live } = useExecution(id);
  const mayCancel = useMay("submitter", "operator");
  const mayRun = useMay("submitter");
  const ended = TERMINAL.has(execution?.state);
  const now = useNow(execution && !ended ? 500 : 0);
  const [copied, setCopied] = useState(false);
  if (!execution) {
    if (!failure) return loading();
    return failure.status === 404
      ? empty(
          "Execution not found",
          p("It may have been deleted after its retention time, or belong to another tenant."),
          link("/executions", { class: "button" }, "All executions"),
        )
      : trouble(failure);
  }
  const tab = TABS.some(([name]) => name === query.get("tab")) ? query.get("tab") : "overview";
  const copy = () =>
    navigator.clipboard?.writeText(id).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  return div(
    h(Head, {
      name: `${execution.state.toLowerCase()} ${shortId(id)}`,
      title: span(
        { class: "head-line" },
        badge(execution.state),
        span({ class: "mono head-code" }, visible(shortened(execution.codePreview, 80))),
      ),
      lead: span(
        { class: "head-facts" },
        button(
          { type: "button", class: "quiet small mono", title: "Copy ID", onClick: copy },
          copied ? "copied" : shortId(id),
        ),
        labelPills(execution.labels),
        execution.rerunOf &&
          pill("quiet", link(`/executions/${execution.rerunOf}`, {}, `rerun of ${shortId(execution.rerunOf)}`)),
        execution.parent &&
          pill("quiet", link(`/executions/${execution.parent}`, {}, `child of ${shortId(execution.parent)}`)),
        execution.dryRun && pill("", "dry run"),
        execution.plan && pill("quiet", link(`/executions/${execution.plan.id}`, {}, "runs an approved plan")),
        live && !ended && span({ class: "live" }, span({ class: "live-dot", "aria-hidden": "true" }), "live"),
      ),
      actions: [
        mayCancel && !ended && h(Cancel, { execution }),
        mayRun && ended && link(`/executions/${id}/rerun`, { class: "button" }, "Run again…"),
      ],
    }),
    failure && trouble(failure),
    h(Timeline, { execution, events, now }),
    div(
      { class: "tabs" },
      el.nav(
        { "aria-label": "Parts of the execution" },
        [...TABS, ...(execution.rerunOf ? [["diff", "Compare"]] : [])].map(([name, label]) =>
          el.a(
            {
              key: name,
              href: `?tab=${name}`,
              class: "tab",
              "aria-current": name === (query.get("tab") === "diff" ? "diff" : tab) ? "page" : undefined,
              onClick: (event) => {
                event.preventDefault();
                refine({ tab: name === "overview" ? "" : name });
              },
            },
            label,
          ),
        ),
      ),
    ),
    query.get("tab") === "diff" && execution.rerunOf
      ? h(Comparison, { id, other: execution.rerunOf, state: execution.state })
      : tab === "trace"
        ? panel(
            { label: "Calls", wide: true },
            h(Waterfall, { events, startedAt: execution.startedAt, finishedAt: execution.finishedAt, now }),
          )
        : tab === "journal"
          ? h(Journal, { id, state: execution.state })
          : tab === "files"
            ? h(Files, { id, state: execution.state })
            : tab === "details"
              ? h(Details, { execution })
              : h(Overview, { execution, events, cut, output, errorOutput, now }),
  );
}
