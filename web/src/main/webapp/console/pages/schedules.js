import { get, post, putFile, queryString, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { relativeTime, duration, time, useNow } from "../lib/time.js";
import {
  badge,
  Dialog,
  emptyState,
  factList,
  formField,
  PageHead,
  whenLoaded,
  loadingState,
  panel,
  pill,
  errorBox,
} from "../components/ui.js";
import { Code, Json } from "../components/code.js";
import { FileDrop, mediaType, rowCount } from "../components/rows-file.js";

const { button, div, form, input, li, ol, p, span } = el;
const PAGE = 50;
const OVERLAPS = {
  skip: "skip",
  queue: "wait, then run once",
  "cancel-previous": "cancel the previous run",
  allow: "run in parallel",
};
const CATCH_UPS = { none: "skip", last: "run the latest once", all: "run each" };
const SKIP_REASONS = {
  overlap: "the previous run had not ended",
  late: "no node started it in time",
  "no-rows": "no rows were stored",
};

const timing = (schedule) =>
  schedule.cron
    ? [
        span({ class: "mono" }, escapeControls(schedule.cron)),
        span({ class: "dim" }, " in ", escapeControls(schedule.zone)),
      ]
    : `every ${duration(schedule.everyMillis)}`;

function PauseDialog({ schedule, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const { busy, failure, run } = useAction();
  const pause = async (event) => {
    event.preventDefault();
    if (await run(() => post(`/schedules/${schedule.id}/pause`, { reason: reason.trim() }))) onDone();
  };
  return h(
    Dialog,
    { title: ["Pause “", escapeControls(schedule.name), "”?"], onClose },
    form(
      { onSubmit: pause },
      p("It does not run until it is resumed."),
      formField(
        "Reason",
        input({
          value: reason,
          maxLength: 2000,
          autoFocus: true,
          placeholder: "shown with the schedule",
          onInput: (event) => setReason(event.target.value),
        }),
      ),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "primary", disabled: busy }, "Pause"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function DeleteDialog({ schedule, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const deleteSchedule = async () => {
    if ((await run(() => remove(`/schedules/${schedule.id}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(schedule.name), "”?"], onClose },
    p("It no longer runs. Executions that it started remain."),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteSchedule }, "Delete the schedule"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

/** The batches of a schedule, newest first. */
function Batches({ schedule }) {
  const batches = useQuery(() => get(`/schedules/${schedule.id}/batches?limit=8`), [schedule.id], { interval: 5_000 });
  return whenLoaded(batches, ({ items }) =>
    items.length
      ? ol(
          { class: "times" },
          items.map((it) =>
            li(
              { key: it.batch },
              it.finished ? pill("good", "ended") : pill("", "under way"),
              link(`/batches/${it.batch}`, { class: "mono" }, shortId(it.batch)),
              span({ class: "dim" }, rowCount(it.total), ", ", it.refused, " refused"),
              span({ class: "dim" }, it.at ? ["for ", time(it.at)] : "started manually"),
            ),
          ),
        )
      : p({ class: "dim" }, "None yet."),
  );
}

/** The executions of a schedule, newest first. */
function Executions({ schedule }) {
  const runs = useQuery(() => get(`/schedules/${schedule.id}/executions?limit=8`), [schedule.id], { interval: 5_000 });
  return whenLoaded(runs, ({ items }) =>
    items.length
      ? ol(
          { class: "times" },
          items.map((it) =>
            li(
              { key: it.execution },
              badge(it.state),
              link(`/executions/${it.execution}`, { class: "mono" }, shortId(it.execution)),
              span({ class: "dim" }, it.at ? ["for ", time(it.at)] : "started manually"),
            ),
          ),
        )
      : p({ class: "dim" }, "None yet."),
  );
}

const CapabilityName = ({ work }) =>
  p(
    link(`/capabilities/${encodeURIComponent(work.capability)}`, { class: "mono" }, escapeControls(work.capability)),
    span({ class: "mono dim" }, " ", escapeControls(work.version ?? "stable")),
  );

/** Replaces the file of rows of a schedule. */
function RowsDialog({ schedule, onClose, onDone }) {
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    if (file && (await run(() => putFile(`/schedules/${schedule.id}/rows`, file, mediaType(file))))) onDone();
  };
  return h(
    Dialog,
    { title: ["Rows of “", escapeControls(schedule.name), "”"], onClose },
    form(
      { onSubmit: store },
      p("The file replaces the stored one. The schedule then runs in your name."),
      h(FileDrop, { file, onFile: setFile }),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "primary", disabled: busy || !file }, busy ? "Storing…" : "Store"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

/** The script of a single run, or the capability. */
const Work = ({ schedule, details }) =>
  details.batch
    ? h(CapabilityName, { work: details.batch })
    : div(
        details.run.capability
          ? h(CapabilityName, { work: details.run })
          : h(Code, { source: details.run.code, label: `Script of ${schedule.name}` }),
        details.run.args &&
          Object.keys(details.run.args).length > 0 && [
            el.h3({ key: "head" }, "Input"),
            h(Json, { key: "args", value: details.run.args, label: `Input of ${schedule.name}` }),
          ],
      );

function ScheduleDetails({ schedule }) {
  const details = useQuery(() => get(`/schedules/${schedule.id}`), [schedule.id]);
  const next = useQuery(
    () => get(`/schedules/${schedule.id}/next?count=5`),
    [schedule.id, schedule.nextAt, schedule.paused],
  );
  const now = useNow(1_000);
  if (!details.value) return details.failure ? errorBox(details.failure, details.refetch) : loadingState();
  return div(
    { class: "columns schedule-more" },
    div(
      el.h3(schedule.paused ? "Next times, if resumed" : "Next times"),
      whenLoaded(next, ({ times }) =>
        ol(
          { class: "times" },
          times.map((at) => li({ key: at }, time(at), span({ class: "dim" }, ` ${relativeTime(at, now)}`))),
        ),
      ),
      schedule.batch
        ? [el.h3({ key: "batches" }, "Batches"), h(Batches, { key: "list", schedule })]
        : [el.h3({ key: "executions" }, "Executions"), h(Executions, { key: "list", schedule })],
    ),
    div(
      el.h3("Script or capability"),
      h(Work, { schedule, details: details.value }),
      factList([
        ["If the previous run is still going", OVERLAPS[schedule.overlap]],
        ["Missed runs", CATCH_UPS[schedule.catchUp]],
        ["Created by", span({ class: "mono wrap" }, escapeControls(schedule.submittedBy))],
        ["Owner", span({ class: "mono" }, escapeControls(shortId(schedule.owner)))],
        ["Created", time(schedule.createdAt)],
      ]),
    ),
  );
}

function Schedule({ schedule, refetch, now }) {
  const mayRun = useHasRole("submitter");
  const mayStop = useHasRole("submitter", "operator");
  const [open, setOpen] = useState(false);
  const [dialog, setDialog] = useState("");
  const { busy, failure, run } = useAction();
  const close = () => setDialog("");
  const done = () => {
    close();
    refetch();
  };
  const runNow = async () => {
    const what = schedule.batch ? "batches" : "run";
    const started = await run(() => post(`/schedules/${schedule.id}/${what}`));
    if (started) navigate(`/${schedule.batch ? "batches" : "executions"}/${started.id}`);
  };
  return li(
    panel(
      {
        label: [
          span({ class: "mono" }, escapeControls(schedule.name)),
          " ",
          schedule.paused
            ? pill("warn", "paused")
            : schedule.waiting
              ? pill("", "waiting for the previous run")
              : pill("good", "on"),
        ],
        actions: [
          mayRun && button({ key: "run", type: "button", disabled: busy, onClick: runNow }, "Run now"),
          mayRun &&
            schedule.batch &&
            button(
              { key: "rows", type: "button", disabled: busy, onClick: () => setDialog("rows") },
              schedule.rows ? "Replace rows…" : "Upload rows…",
            ),
          schedule.paused
            ? mayRun &&
              button(
                {
                  key: "resume",
                  type: "button",
                  disabled: busy,
                  onClick: () => run(() => post(`/schedules/${schedule.id}/resume`)).then(refetch),
                },
                "Resume",
              )
            : mayStop &&
              button({ key: "pause", type: "button", disabled: busy, onClick: () => setDialog("pause") }, "Pause…"),
          mayStop &&
            button(
              {
                key: "delete",
                type: "button",
                class: "quiet danger-text",
                disabled: busy,
                onClick: () => setDialog("delete"),
              },
              "Delete…",
            ),
        ],
      },
      errorBox(failure),
      factList([
        ["When", timing(schedule)],
        [
          "Next",
          schedule.nextAt && [time(schedule.nextAt), span({ class: "dim" }, ` ${relativeTime(schedule.nextAt, now)}`)],
        ],
        [
          "Paused",
          schedule.paused && [
            time(schedule.pausedAt),
            schedule.pauseReason && [": ", escapeControls(schedule.pauseReason)],
          ],
        ],
        ["Cannot run now", schedule.delayReason && escapeControls(schedule.delayReason)],
        [
          "Rows",
          schedule.batch &&
            (schedule.rows
              ? [
                  rowCount(schedule.rows.count),
                  schedule.rows.refused > 0 && `, ${schedule.rows.refused.toLocaleString()} would be refused`,
                  span({ class: "dim" }, " stored ", relativeTime(schedule.rows.uploadedAt, now)),
                ]
              : span({ class: "dim" }, "none yet: its times are skipped")),
        ],
        [
          "Last batch",
          schedule.lastBatch && [
            link(`/batches/${schedule.lastBatch.batch}`, { class: "mono" }, shortId(schedule.lastBatch.batch)),
            schedule.lastBatch.total !== undefined && ` ${rowCount(schedule.lastBatch.total)}`,
            span({ class: "dim" }, " ", relativeTime(schedule.lastBatch.at, now)),
          ],
        ],
        [
          "Last run",
          !schedule.batch &&
            (schedule.lastRun
              ? [
                  link(
                    `/executions/${schedule.lastRun.execution}`,
                    { class: "mono" },
                    shortId(schedule.lastRun.execution),
                  ),
                  " ",
                  schedule.lastRun.state && badge(schedule.lastRun.state),
                  span({ class: "dim" }, " ", relativeTime(schedule.lastRun.at, now)),
                ]
              : span({ class: "dim" }, "none yet")),
        ],
        [
          "Last skipped",
          schedule.lastSkipped && [
            time(schedule.lastSkipped.at),
            span({ class: "dim" }, `: ${SKIP_REASONS[schedule.lastSkipped.reason] ?? schedule.lastSkipped.reason}`),
          ],
        ],
      ]),
      button(
        { type: "button", class: "quiet small", "aria-expanded": open, onClick: () => setOpen(!open) },
        open ? "Hide details" : schedule.batch ? "Next times, batches, capability" : "Next times, executions, script",
      ),
      open && h(ScheduleDetails, { schedule }),
      dialog === "pause" && h(PauseDialog, { schedule, onClose: close, onDone: done }),
      dialog === "rows" && h(RowsDialog, { schedule, onClose: close, onDone: done }),
      dialog === "delete" && h(DeleteDialog, { schedule, onClose: close, onDone: done }),
    ),
  );
}

export default function Schedules() {
  const maySubmit = useHasRole("submitter");
  const [maxItems, setMaxItems] = useState(PAGE);
  const list = useQuery(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/schedules" + queryString({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < maxItems);
      return { items, next };
    },
    [],
    { interval: 3_000, refetchOn: maxItems },
  );
  const now = useNow(1_000);
  return div(
    h(PageHead, {
      title: "Schedules",
      lead: "Scripts and capabilities that run on a timetable.",
      actions: maySubmit && link("/schedules/new", { class: "button primary" }, "New schedule"),
    }),
    whenLoaded(list, ({ items, next }) =>
      items.length
        ? div(
            ol(
              { class: "cards" },
              items.map((schedule) => h(Schedule, { key: schedule.id, schedule, refetch: list.refetch, now })),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMaxItems(maxItems + PAGE) }, "Show older"),
              ),
          )
        : emptyState(
            "No schedules yet",
            p(
              "A schedule submits a script or a capability automatically, " +
                "for example each night or every five minutes.",
            ),
            maySubmit && link("/schedules/new", { class: "button primary" }, "Create the first schedule"),
          ),
    ),
  );
}
