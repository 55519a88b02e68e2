import { get, post, query, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go, link } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, visible } from "../lib/escape.js";
import { distance, duration, time, useNow } from "../lib/time.js";
import { badge, Dialog, empty, facts, field, Head, loaded, loading, panel, pill, trouble } from "../components/ui.js";
import { Code, Json } from "../components/code.js";

const { button, div, form, input, li, ol, p, span } = el;
const PAGE = 50;
const OVERLAPS = {
  skip: "skip",
  queue: "wait, then run once",
  "cancel-previous": "cancel the previous run",
  allow: "run in parallel",
};
const CATCH_UPS = { none: "skip", last: "run the latest once", all: "run each" };
const LEFT_OUT = { overlap: "the previous run had not ended", late: "no node started it in time" };

const when = (schedule) =>
  schedule.cron
    ? [span({ class: "mono" }, visible(schedule.cron)), span({ class: "dim" }, " in ", visible(schedule.zone))]
    : `every ${duration(schedule.everyMillis)}`;

function Pause({ schedule, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const { busy, failure, run } = useAction();
  const pause = async (event) => {
    event.preventDefault();
    if (await run(() => post(`/schedules/${schedule.id}/pause`, { reason: reason.trim() }))) onDone();
  };
  return h(
    Dialog,
    { title: ["Pause “", visible(schedule.name), "”?"], onClose },
    form(
      { onSubmit: pause },
      p("It does not run until it is resumed."),
      field(
        "Reason",
        input({
          value: reason,
          maxLength: 2000,
          autoFocus: true,
          placeholder: "shown with the schedule",
          onInput: (event) => setReason(event.target.value),
        }),
      ),
      trouble(failure),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "primary", disabled: busy }, "Pause"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function Delete({ schedule, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const drop = async () => {
    if ((await run(() => remove(`/schedules/${schedule.id}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", visible(schedule.name), "”?"], onClose },
    p("It no longer runs. Executions that it started remain."),
    trouble(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: drop }, "Delete the schedule"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

function More({ schedule }) {
  const whole = useLoad(() => get(`/schedules/${schedule.id}`), [schedule.id]);
  const next = useLoad(
    () => get(`/schedules/${schedule.id}/next?count=5`),
    [schedule.id, schedule.nextAt, schedule.paused],
  );
  const runs = useLoad(() => get(`/schedules/${schedule.id}/executions?limit=8`), [schedule.id], { every: 5_000 });
  const now = useNow(1_000);
  if (!whole.value) return whole.failure ? trouble(whole.failure, whole.again) : loading();
  const { run } = whole.value;
  return div(
    { class: "columns schedule-more" },
    div(
      el.h3(schedule.paused ? "Next times, if resumed" : "Next times"),
      loaded(next, ({ times }) =>
        ol(
          { class: "times" },
          times.map((at) => li({ key: at }, time(at), span({ class: "dim" }, ` ${distance(at, now)}`))),
        ),
      ),
      el.h3("Executions"),
      loaded(runs, ({ items }) =>
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
      ),
    ),
    div(
      el.h3("Script or capability"),
      run.capability
        ? p(
            link(`/capabilities/${encodeURIComponent(run.capability)}`, { class: "mono" }, visible(run.capability)),
            span({ class: "mono dim" }, " ", visible(run.version ?? "stable")),
          )
        : h(Code, { source: run.code, label: `Script of ${schedule.name}` }),
      run.args &&
        Object.keys(run.args).length > 0 && [
          el.h3({ key: "head" }, "Input"),
          h(Json, { key: "args", value: run.args, label: `Input of ${schedule.name}` }),
        ],
      facts([
        ["If the previous run is still going", OVERLAPS[schedule.overlap]],
        ["Missed runs", CATCH_UPS[schedule.catchUp]],
        ["Owner", span({ class: "mono" }, visible(shortId(schedule.owner)))],
        ["Created", time(schedule.createdAt)],
      ]),
    ),
  );
}

function Schedule({ schedule, again, now }) {
  const mayRun = useMay("submitter");
  const mayStop = useMay("submitter", "operator");
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState("");
  const { busy, failure, run } = useAction();
  const close = () => setAsked("");
  const done = () => {
    close();
    again();
  };
  const runNow = async () => {
    const execution = await run(() => post(`/schedules/${schedule.id}/run`));
    if (execution) go(`/executions/${execution.id}`);
  };
  return li(
    panel(
      {
        label: [
          span({ class: "mono" }, visible(schedule.name)),
          " ",
          schedule.paused
            ? pill("warn", "paused")
            : schedule.waiting
              ? pill("", "waiting for the previous run")
              : pill("good", "on"),
        ],
        actions: [
          mayRun && button({ key: "run", type: "button", disabled: busy, onClick: runNow }, "Run now"),
          schedule.paused
            ? mayRun &&
              button(
                {
                  key: "resume",
                  type: "button",
                  disabled: busy,
                  onClick: () => run(() => post(`/schedules/${schedule.id}/resume`)).then(again),
                },
                "Resume",
              )
            : mayStop &&
              button({ key: "pause", type: "button", disabled: busy, onClick: () => setAsked("pause") }, "Pause…"),
          mayStop &&
            button(
              {
                key: "delete",
                type: "button",
                class: "quiet danger-text",
                disabled: busy,
                onClick: () => setAsked("delete"),
              },
              "Delete…",
            ),
        ],
      },
      trouble(failure),
      facts([
        ["When", when(schedule)],
        [
          "Next",
          schedule.nextAt && [time(schedule.nextAt), span({ class: "dim" }, ` ${distance(schedule.nextAt, now)}`)],
        ],
        [
          "Paused",
          schedule.paused && [time(schedule.pausedAt), schedule.pauseReason && [": ", visible(schedule.pauseReason)]],
        ],
        [
          "Last run",
          schedule.lastRun
            ? [
                link(
                  `/executions/${schedule.lastRun.execution}`,
                  { class: "mono" },
                  shortId(schedule.lastRun.execution),
                ),
                " ",
                schedule.lastRun.state && badge(schedule.lastRun.state),
                span({ class: "dim" }, " ", distance(schedule.lastRun.at, now)),
              ]
            : span({ class: "dim" }, "none yet"),
        ],
        [
          "Last skipped",
          schedule.lastLeftOut && [
            time(schedule.lastLeftOut.at),
            span({ class: "dim" }, `: ${LEFT_OUT[schedule.lastLeftOut.reason] ?? schedule.lastLeftOut.reason}`),
          ],
        ],
      ]),
      button(
        { type: "button", class: "quiet small", "aria-expanded": open, onClick: () => setOpen(!open) },
        open ? "Hide details" : "Next times, executions, script",
      ),
      open && h(More, { schedule }),
      asked === "pause" && h(Pause, { schedule, onClose: close, onDone: done }),
      asked === "delete" && h(Delete, { schedule, onClose: close, onDone: done }),
    ),
  );
}

export default function Schedules() {
  const may = useMay("submitter");
  const [most, setMost] = useState(PAGE);
  const list = useLoad(
    async () => {
      const items = [];
      let next;
      do {
        const page = await get("/schedules" + query({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < most);
      return { items, next };
    },
    [],
    { every: 3_000, more: most },
  );
  const now = useNow(1_000);
  return div(
    h(Head, {
      title: "Schedules",
      lead: "Scripts and capabilities that run on a timetable.",
      actions: may && link("/schedules/new", { class: "button primary" }, "New schedule"),
    }),
    loaded(list, ({ items, next }) =>
      items.length
        ? div(
            ol(
              { class: "cards" },
              items.map((schedule) => h(Schedule, { key: schedule.id, schedule, again: list.again, now })),
            ),
            next &&
              div(
                { class: "list-foot" },
                button({ type: "button", class: "quiet", onClick: () => setMost(most + PAGE) }, "Show older"),
              ),
          )
        : empty(
            "No schedules yet",
            p(
              "A schedule submits a script or a capability automatically, for example each night or every five minutes.",
            ),
            may && link("/schedules/new", { class: "button primary" }, "Create the first schedule"),
          ),
    ),
  );
}
