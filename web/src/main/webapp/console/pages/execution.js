import { loadEvents, get, post, queryString, remove } from "../lib/api.js";
import { el, Fragment, h, useMemo, useState } from "../lib/dom.js";
import { useExecution } from "../lib/execution-stream.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link, navigate, updateQuery } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, truncate, escapeControls } from "../lib/escape.js";
import { relativeTime, duration, time, useNow } from "../lib/time.js";
import { formatCost, formatBytes } from "../components/usage.js";
import {
  badge,
  Dialog,
  emptyState,
  factList,
  PageHead,
  labelPills,
  whenLoaded,
  loadingState,
  progressBar,
  panel,
  pill,
  downloadLink,
  TERMINAL,
  errorBox,
} from "../components/ui.js";
import { callbackAnswer, callbackState, callbackTime, RedeliverButton } from "../components/callback.js";
import { CancelDialog, cancellationText } from "../components/cancel.js";
import { Children, mayHaveChildren } from "../components/children.js";
import { Code, Json, findCallLine } from "../components/code.js";
import { ExecutionDiff } from "../components/diff.js";
import { Output } from "../components/output.js";
import { Plan } from "../components/plan.js";
import { Timeline } from "../components/timeline.js";
import { pendingCalls, Waterfall } from "../components/trace.js";

const { button, div, li, p, span, ul } = el;

const TABS = [
  ["overview", "Overview"],
  ["trace", "Trace"],
  ["journal", "Journal"],
  ["files", "Files"],
  ["details", "Details"],
];

/** @type {Record<string, (waitReason: any, now: number) => any>} */
const REASONS = {
  queue: (waitReason) => ["It is in the queue", waitReason.position ? ` at position ${waitReason.position}.` : "."],
  "tenant-share": (waitReason) => [
    "It is queued behind other executions of this tenant, because tenants share the nodes fairly",
    waitReason.position ? `: position ${waitReason.position} in the queue.` : ".",
  ],
  batch: (waitReason) => [
    link(`/batches/${waitReason.batch}`, {}, "Its batch"),
    " already runs as many executions as it may run in parallel.",
  ],
  "concurrency-key": (waitReason) =>
    !waitReason.heldBy?.length
      ? "Another execution with the same concurrency key has not ended. They run one after another."
      : [
          "It waits for ",
          waitReason.heldBy
            .slice(0, 5)
            .map((id, at) => [at ? ", " : "", link(`/executions/${id}`, { class: "mono" }, shortId(id))]),
          waitReason.heldBy.length > 5 ? " and others" : "",
          " with the same concurrency key to end.",
        ],
  "no-worker": () => "No node accepts work now. An operator should check the nodes.",
  timer: (waitReason, now) => [
    `It sleeps and resumes ${waitReason.until ? relativeTime(waitReason.until, now) : "when its timer fires"}.`,
  ],
  event: (waitReason, now) => [
    "It waits for an event and resumes when one arrives",
    waitReason.until ? `; without an event, it resumes ${relativeTime(waitReason.until, now)}.` : ".",
  ],
  tool: (waitReason, now) => [
    "It waits for the answer of a tool",
    waitReason.until ? `; the call times out ${relativeTime(waitReason.until, now)}.` : ".",
  ],
  scheduled: (waitReason, now) =>
    waitReason.until
      ? ["It does not start before ", time(waitReason.until), ", ", relativeTime(waitReason.until, now), "."]
      : "Its start time has not come.",
  retry: (waitReason, now) => [
    waitReason.retry ? `This is attempt ${waitReason.retry.attempt} of ${waitReason.retry.attempts}. ` : "",
    "The attempt before failed",
    waitReason.error ? [" with ", pill("bad", escapeControls(waitReason.error.code))] : "",
    waitReason.until
      ? ["; this one does not start before ", time(waitReason.until), ", ", relativeTime(waitReason.until, now), "."]
      : ".",
  ],
  approval: (waitReason, now) => [
    "A person must decide. ",
    link("/approvals", {}, "Show approvals"),
    waitReason.until ? `; the approval expires ${relativeTime(waitReason.until, now)}.` : ".",
  ],
};

function WaitReason({ id, now }) {
  const waitReason = useQuery(() => get(`/executions/${id}/why`), [id], { interval: 3_000 });
  if (!waitReason.value || ["running", "ended", "cancelling", "cancelled"].includes(waitReason.value.reason))
    return null;
  return div(
    { class: "note", role: "status" },
    span({ class: "note-title" }, "Why does it wait?"),
    p(
      (REASONS[waitReason.value.reason] ?? ((it) => escapeControls(it.reason)))(waitReason.value, now),
      waitReason.value.since ? span({ class: "dim" }, " Since ", time(waitReason.value.since), ".") : null,
    ),
  );
}

const NOT_RETRIED = {
  error: "its retry policy does not name this error.",
  attempts: "it was the last attempt.",
  writes: "it may have changed something.",
  deadline: "the next attempt would begin after the deadline.",
  batch: "its batch was stopped.",
  storage: "the next attempt could not be stored.",
};

const attemptLink = (id) => link(`/executions/${id}`, { class: "mono" }, shortId(id));

/** Which attempt this is, and what follows its failure. */
const RetryNote = ({ retry }) =>
  div(
    { class: "note", role: "status" },
    span({ class: "note-title" }, `Attempt ${retry.attempt} of ${retry.attempts}`),
    p(
      retry.previous ? ["The attempt before is ", attemptLink(retry.previous), ". "] : "",
      retry.next ? ["It failed; the next attempt is ", attemptLink(retry.next), "."] : "",
      retry.notRetried ? ["No attempt follows: ", NOT_RETRIED[retry.notRetried] ?? retry.notRetried] : "",
    ),
  );

/** The retry policy in one sentence. */
const retryText = (retry) =>
  `at most ${retry.attempts} attempts, ${duration(retry.delayMillis)} to ${duration(retry.maxDelayMillis)} apart` +
  (retry.afterWrites ? ", also after writes" : "");

const ORIGINS = {
  script: " Script error",
  tool: " Tool error",
  limit: " Limit reached",
  internal: " Error in the service",
};

const ErrorNote = ({ error }) =>
  div(
    { class: "note note-bad", role: "status" },
    div(
      span({ class: "note-title" }, pill("bad", error.code), ORIGINS[error.culprit] ?? ""),
      p({ class: "mono wrap" }, escapeControls(error.message)),
      (error.line || error.tool) &&
        p(
          { class: "dim" },
          error.line ? `Line ${error.line}${error.column ? `, column ${error.column}` : ""}. ` : "",
          error.tool ? ["Call ", error.call, ", ", escapeControls(error.tool), "."] : "",
        ),
      error.stack && el.details(el.summary("Stack trace"), el.pre({ class: "stack" }, escapeControls(error.stack))),
    ),
  );

/** Marks for the lines of pending calls, where the script shows the line without doubt. */
const pendingMarks = (source, pending, forms) =>
  [...pending]
    .map(([tool, { numbers, waits }]) => ({
      line: findCallLine(source, forms.get(tool) ?? tool),
      pending: true,
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
  Promise.all(backends.map((backend) => get("/tools" + queryString({ backend })))).then(
    (lists) => new Map(lists.flatMap(({ items }) => items.map((tool) => [tool.name, tool.call]))),
  );

function Script({ source, ended, error, events }) {
  const pending = useMemo(() => (ended ? new Map() : pendingCalls(events)), [ended, events]);
  const backends = [...new Set([...pending.keys()].map((tool) => tool.split(".")[0]))].sort();
  const { value: forms, failure } = useQuery(() => callForms(backends), backends);
  // Without the call forms, the line of another tool might be marked.
  const marks = useMemo(
    () => (forms || failure ? pendingMarks(source, pending, forms ?? new Map()) : []),
    [source, pending, forms, failure],
  );
  return h(Code, {
    source,
    marks: error?.line ? [{ line: error.line, message: truncate(error.message.split("\n")[0], 200) }] : marks,
  });
}

function Source({ id, ended, error, events }) {
  const code = useQuery(() => get(`/executions/${id}/code`), [id]);
  return panel(
    { label: "Script", wide: true },
    whenLoaded(code, ({ code: source }) => h(Script, { source, ended, error, events })),
  );
}

function Overview({ execution, events, cut, output, now }) {
  return div(
    execution.dryRun && h(Plan, { id: execution.id, state: execution.state }),
    !TERMINAL.has(execution.state) && h(WaitReason, { id: execution.id, now }),
    execution.error && h(ErrorNote, { error: execution.error }),
    execution.retry && h(RetryNote, { retry: execution.retry }),
    execution.blockedAttempts && h(BlockedAttempts, { blocked: execution.blockedAttempts }),
    execution.progress &&
      !TERMINAL.has(execution.state) &&
      panel(
        "Progress",
        progressBar(execution.progress.fraction, "Progress"),
        p(
          `${Math.round(execution.progress.fraction * 100)} %`,
          execution.progress.text ? [" · ", escapeControls(execution.progress.text)] : "",
        ),
      ),
    div(
      { class: "columns" },
      panel(
        "Output",
        output.length > 0
          ? h(Output, { output, label: "Output" })
          : p({ class: "dim" }, TERMINAL.has(execution.state) ? "No output." : "No output yet."),
        execution.truncated &&
          p(
            { class: "dim" },
            `Output cut at ${execution.limits.outputChars.toLocaleString()} characters (limit outputChars).`,
          ),
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
    mayHaveChildren(events, cut) && h(Children, { execution, now }),
    h(Source, { id: execution.id, ended: TERMINAL.has(execution.state), error: execution.error, events }),
  );
}

/** What the script tried to use although it may not. */
const BlockedAttempts = ({ blocked }) =>
  panel(
    "Blocked attempts",
    p({ class: "dim" }, "The script tried to use what it may not use. Each attempt was refused."),
    ul(
      { class: "bare" },
      blocked.attempts.map((attempt) =>
        li(
          { key: `${attempt.kind} ${attempt.name ?? ""}` },
          pill("bad", attempt.kind),
          " ",
          attempt.name === undefined
            ? span({ class: "dim" }, "further names")
            : span({ class: "mono wrap" }, escapeControls(attempt.name)),
          attempt.count > 1 ? ` ${attempt.count.toLocaleString()} times` : "",
        ),
      ),
    ),
  );

const eventLine = (event) => {
  switch (event.type) {
    case "state":
      return [badge(event.state), event.attempt ? ` attempt ${event.attempt}` : ""];
    case "tool_start":
    case "capability_start":
      return [
        `call ${event.call} of `,
        escapeControls(event.tool),
        " ",
        span({ class: "mono dim" }, escapeControls(truncate(JSON.stringify(event.args) ?? "", 160))),
      ];
    case "tool_end":
    case "capability_end":
      return [
        `answer to call ${event.call}, ${duration(event.durationMillis)} `,
        event.success
          ? span({ class: "mono dim" }, escapeControls(truncate(JSON.stringify(event.result) ?? "null", 160)))
          : pill("bad", escapeControls(event.error?.code)),
      ];
    case "cached":
      return ["cached result of ", span({ class: "mono" }, escapeControls(event.from))];
    case "heard":
      return ["times and timers ", span({ class: "mono dim" }, escapeControls(truncate(event.notes, 160)))];
    case "policy":
      return [`call ${event.call}: `, pill("", event.decision), " by ", escapeControls(event.rule)];
    default:
      return [event.type.replaceAll("_", " "), event.note ? [": ", escapeControls(event.note)] : ""];
  }
};

function Journal({ id, state }) {
  const journal = useQuery(() => loadEvents(`/executions/${id}/journal`, 2_000), [id, state]);
  return panel(
    { label: "Journal", wide: true },
    p({ class: "dim" }, "All recorded events, in order. Replay and re-runs take their answers from here."),
    whenLoaded(journal, ({ events, cut }) =>
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
        : emptyState("No events yet"),
    ),
  );
}

function Files({ id, state }) {
  const files = useQuery(() => get(`/executions/${id}/artifacts`), [id, state]);
  return panel(
    { label: "Files", wide: true },
    whenLoaded(files, ({ items }) =>
      items.length
        ? el.table(
            { class: "plain" },
            el.thead(el.tr(el.th("Name"), el.th("Type"), el.th({ class: "col-number" }, "Bytes"), el.th("Written"))),
            el.tbody(
              items.map((file) =>
                el.tr(
                  { key: file.name },
                  el.td(
                    downloadLink(
                      `/api/v1/executions/${id}/artifacts?name=${encodeURIComponent(file.name)}`,
                      escapeControls(file.name),
                    ),
                  ),
                  el.td(escapeControls(file.contentType)),
                  el.td({ class: "col-number" }, file.size.toLocaleString()),
                  el.td(time(file.createdAt)),
                ),
              ),
            ),
          )
        : emptyState("No files", p("A script stores a file with ", el.code("artifacts.write(name, content)"), ".")),
    ),
  );
}

/** The callback of the execution. */
function Callback({ callback }) {
  const [due, setDue] = useState(callback.state === "due");
  const one = useQuery(
    async () => {
      const found = await get(`/executions/${callback.execution}/callback`);
      setDue(found.state === "due");
      return found;
    },
    [callback.execution, callback.state],
    { interval: due ? 1_500 : 0 },
  );
  const it = one.value ?? callback;
  const now = useNow(due ? 1_000 : 0);
  const onRedelivered = (redelivered) => {
    one.set(redelivered);
    setDue(true);
  };
  return panel(
    "Callback",
    factList([
      ["To", span({ class: "mono wrap" }, escapeControls(it.url))],
      ["State", callbackState(it.state)],
      ["Attempts", it.attempts],
      ["Last answer", it.attempts > 0 && callbackAnswer(it)],
      ["When", callbackTime(it, now)],
    ]),
    div({ class: "decide-row" }, h(RedeliverButton, { callback: it, onDone: onRedelivered })),
  );
}

const Details = ({ execution: it }) =>
  div(
    { class: "columns" },
    panel(
      "Execution",
      factList([
        ["ID", span({ class: "mono wrap" }, it.id)],
        ["Intent", it.intent && escapeControls(it.intent)],
        ["Language", it.language],
        ["Engine", it.tier],
        ["Durability", it.durability],
        ["Priority", it.priority],
        ["Attempts", it.attempt],
        ["Batch", it.batch && link(`/batches/${it.batch}`, { class: "mono" }, shortId(it.batch))],
        ["Rerun of", it.rerunOf && link(`/executions/${it.rerunOf}`, { class: "mono" }, shortId(it.rerunOf))],
        ["Child of", it.parent && link(`/executions/${it.parent}`, { class: "mono" }, shortId(it.parent))],
        ["Child runs", link(`/executions?parent=${it.id}`, {}, "capabilities that its script calls")],
        [
          "Saved script",
          it.cachedName &&
            link(
              `/scripts/${encodeURIComponent(it.cachedName)}`,
              { class: "mono wrap" },
              escapeControls(it.cachedName),
            ),
        ],
        ["Cancelled", cancellationText(it.cancellation)],
        ["Not before", it.notBefore && time(it.notBefore)],
        ["Deadline", it.deadline && time(it.deadline)],
        ["Concurrency key", it.concurrencyKey && span({ class: "mono wrap" }, escapeControls(it.concurrencyKey))],
        ["Retries", it.retry && retryText(it.retry)],
        ["Retries after", it.retry && span({ class: "mono wrap" }, it.retry.errorCodes.join(", "))],
        ["Submitted", time(it.createdAt)],
        ["Submitted by", span({ class: "mono wrap" }, escapeControls(it.submittedBy))],
        ["Schedule", it.schedule && link(`/schedules/${it.schedule}`, { class: "mono" }, shortId(it.schedule))],
        ["Started", time(it.startedAt)],
        ["Ended", time(it.finishedAt)],
        ["Queued for", duration(it.queueMillis)],
        ["Ran for", duration(it.runMillis)],
        ["Cost", it.cost !== undefined && formatCost(it.cost)],
      ]),
    ),
    panel(
      "Limits and permissions",
      factList([
        [
          "Tools",
          it.grants.length
            ? ul(
                { class: "bare" },
                it.grants.map((glob) => li({ key: glob, class: "mono" }, escapeControls(glob))),
              )
            : "none",
        ],
        ["Time limit", duration(it.limits.wallMillis)],
        ["CPU time", duration(it.limits.cpuMillis)],
        ["Memory", formatBytes(it.limits.heapBytes)],
        ["Tool calls", it.limits.toolCalls.toLocaleString()],
        ["Output", `${it.limits.outputChars.toLocaleString()} characters per stream`],
        ["Cost", it.limits.cost !== undefined && `at most ${formatCost(it.limits.cost)}`],
      ]),
    ),
    it.callback && h(Callback, { callback: it.callback }),
  );

function CancelButton({ execution }) {
  const { busy, failure, run } = useAction();
  const [asking, setAsking] = useState(false);
  const requested = busy || execution.cancelRequested;
  const cancel = (reason) => {
    setAsking(false);
    run(() => post(`/executions/${execution.id}/cancel`, reason ? { reason } : undefined));
  };
  return h(
    Fragment,
    null,
    button(
      { type: "button", class: "danger", disabled: requested, onClick: () => setAsking(true) },
      requested ? "Cancelling…" : "Cancel…",
    ),
    asking &&
      h(CancelDialog, {
        title: "Cancel this execution?",
        action: "Cancel the execution",
        onClose: () => setAsking(false),
        onCancel: cancel,
      }),
    failure && failure.kind !== "already-terminal" ? span({ class: "bad-text", role: "alert" }, failure.message) : null,
  );
}

function DeleteButton({ id }) {
  const { busy, failure, run } = useAction();
  const [asking, setAsking] = useState(false);
  const deleteExecution = async () => {
    if ((await run(() => remove(`/executions/${id}`))) !== undefined) navigate("/executions");
  };
  return h(
    Fragment,
    null,
    button({ type: "button", class: "quiet", onClick: () => setAsking(true) }, "Delete…"),
    asking &&
      h(
        Dialog,
        { title: "Delete this execution?", onClose: () => setAsking(false) },
        p("Script, input, output, journal and files are erased, also those of child runs. This cannot be undone."),
        failure && errorBox(failure),
        div(
          { class: "decide-row" },
          button({ type: "button", class: "danger", disabled: busy, onClick: deleteExecution }, "Delete the execution"),
          button({ type: "button", class: "quiet", onClick: () => setAsking(false) }, "Back"),
        ),
      ),
  );
}

/** @param {{ id: string, query: URLSearchParams }} props */
export default function Execution({ id, query }) {
  const { execution, events, cut, output, failure, live } = useExecution(id);
  const mayCancel = useHasRole("submitter", "operator");
  const mayRun = useHasRole("submitter");
  const mayDelete = useHasRole("operator");
  const ended = TERMINAL.has(execution?.state);
  const now = useNow(execution && !ended ? 500 : 0);
  const [copied, setCopied] = useState(false);
  if (!execution) {
    if (!failure) return loadingState();
    return failure.status === 404
      ? emptyState(
          "Execution not found",
          p("It may have been deleted after its retention time, or belong to another tenant."),
          link("/executions", { class: "button" }, "All executions"),
        )
      : errorBox(failure);
  }
  const tab = TABS.some(([name]) => name === query.get("tab")) ? query.get("tab") : "overview";
  const copy = () =>
    navigator.clipboard?.writeText(id).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  return div(
    h(PageHead, {
      name: `${execution.state.toLowerCase()} ${shortId(id)}`,
      title: span(
        { class: "head-line" },
        badge(execution.state),
        span({ class: "mono head-code" }, escapeControls(truncate(execution.codePreview, 80))),
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
        execution.cancellation && span({ class: "dim" }, "cancelled ", cancellationText(execution.cancellation)),
        execution.dryRun && pill("", "dry run"),
        execution.readOnly && pill("", "read only"),
        execution.plan && pill("quiet", link(`/executions/${execution.plan.id}`, {}, "runs an approved plan")),
        live && !ended && span({ class: "live" }, span({ class: "live-dot", "aria-hidden": "true" }), "live"),
      ),
      actions: [
        mayCancel && !ended && h(CancelButton, { execution }),
        mayDelete && ended && h(DeleteButton, { id }),
        mayRun && ended && link(`/executions/${id}/rerun`, { class: "button" }, "Run again…"),
      ],
    }),
    failure && errorBox(failure),
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
                updateQuery({ tab: name === "overview" ? "" : name });
              },
            },
            label,
          ),
        ),
      ),
    ),
    query.get("tab") === "diff" && execution.rerunOf
      ? h(ExecutionDiff, { id, other: execution.rerunOf, state: execution.state })
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
              : h(Overview, { execution, events, cut, output, now }),
  );
}
