import { get, post, query, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/load.js";
import { go, link } from "../lib/route.js";
import { useMay } from "../lib/session.js";
import { shortId, visible } from "../lib/text.js";
import { distance, duration, time, useNow } from "../lib/time.js";
import { badge, Dialog, empty, facts, field, Head, loaded, loading, panel, pill, trouble } from "../parts/basics.js";
import { Code, Json } from "../parts/code.js";

const { button, div, form, input, li, ol, p, span } = el;
const PAGE = 50;
const OVERLAPS = { skip: "left out", queue: "waits for the end, then runs once", "cancel-previous": "cancels the one before", allow: "runs beside it" };
const CATCH_UPS = { none: "left out", last: "the last is made up for", all: "each is made up for" };
const LEFT_OUT = { overlap: "the one before had not ended", late: "no node was there in time" };

const when = (schedule) => (schedule.cron ? [span({ class: "mono" }, visible(schedule.cron)), span({ class: "dim" }, " in ", visible(schedule.zone))] : `every ${duration(schedule.everyMillis)}`);

function Pause({ schedule, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const { busy, failure, run } = useAction();
  const pause = async (event) => {
    event.preventDefault();
    if (await run(() => post(`/schedules/${schedule.id}/pause`, { reason: reason.trim() }))) onDone();
  };
  return h(Dialog, { title: ["Pause “", visible(schedule.name), "”?"], onClose }, form({ onSubmit: pause }, p("Its times are left out until it is resumed."),
    field("Why", input({ value: reason, maxLength: 2000, autoFocus: true, placeholder: "for those who look at it later", onInput: (event) => setReason(event.target.value) })),
    trouble(failure), div({ class: "decide-row" }, button({ type: "submit", class: "primary", disabled: busy }, "Pause it"), button({ type: "button", class: "quiet", onClick: onClose }, "Leave it"))));
}

function Delete({ schedule, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const drop = async () => { if ((await run(() => remove(`/schedules/${schedule.id}`))) !== undefined) onDone(); };
  return h(Dialog, { title: ["Delete “", visible(schedule.name), "”?"], onClose }, p("It runs no more. The executions that it began stay."),
    trouble(failure), div({ class: "decide-row" }, button({ type: "button", class: "danger", disabled: busy, onClick: drop }, "Delete the schedule"), button({ type: "button", class: "quiet", onClick: onClose }, "Keep it")));
}

function More({ schedule }) {
  const whole = useLoad(() => get(`/schedules/${schedule.id}`), [schedule.id]);
  const next = useLoad(() => get(`/schedules/${schedule.id}/next?count=5`), [schedule.id, schedule.nextAt, schedule.paused]);
  const runs = useLoad(() => get(`/schedules/${schedule.id}/executions?limit=8`), [schedule.id], { every: 5_000 });
  const now = useNow(1_000);
  if (!whole.value) return whole.failure ? trouble(whole.failure, whole.again) : loading();
  const { run } = whole.value;
  return div({ class: "columns schedule-more" },
    div(el.h3(schedule.paused ? "Its next times, if it were resumed" : "Its next times"), loaded(next, ({ times }) => ol({ class: "times" }, times.map((at) => li({ key: at }, time(at), span({ class: "dim" }, ` ${distance(at, now)}`))))),
      el.h3("Executions"), loaded(runs, ({ items }) => (items.length ? ol({ class: "times" }, items.map((it) => li({ key: it.execution }, badge(it.state), link(`/executions/${it.execution}`, { class: "mono" }, shortId(it.execution)), span({ class: "dim" }, it.at ? ["for ", time(it.at)] : "asked for")))) : p({ class: "dim" }, "None yet.")))),
    div(el.h3("What runs"), run.capability ? p(link(`/capabilities/${encodeURIComponent(run.capability)}`, { class: "mono" }, visible(run.capability)), span({ class: "mono dim" }, " ", visible(run.version ?? "stable"))) : h(Code, { source: run.code, label: `Script of ${schedule.name}` }),
      run.args && Object.keys(run.args).length > 0 && [el.h3({ key: "head" }, "Input"), h(Json, { key: "args", value: run.args, label: `Input of ${schedule.name}` })],
      facts([["When one has not ended", OVERLAPS[schedule.overlap]], ["Times that were missed", CATCH_UPS[schedule.catchUp]], ["In the name of", span({ class: "mono" }, visible(shortId(schedule.owner)))], ["Created", time(schedule.createdAt)]])));
}

function Schedule({ schedule, again, now }) {
  const mayRun = useMay("submitter");
  const mayStop = useMay("submitter", "operator");
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState("");
  const { busy, failure, run } = useAction();
  const close = () => setAsked("");
  const done = () => { close(); again(); };
  const runNow = async () => {
    const execution = await run(() => post(`/schedules/${schedule.id}/run`));
    if (execution) go(`/executions/${execution.id}`);
  };
  return li(panel({
    label: [span({ class: "mono" }, visible(schedule.name)), " ", schedule.paused ? pill("warn", "paused") : schedule.waiting ? pill("", "waits for the last to end") : pill("good", "on")],
    actions: [
      mayRun && button({ key: "run", type: "button", disabled: busy, onClick: runNow }, "Run now"),
      schedule.paused ? mayRun && button({ key: "resume", type: "button", disabled: busy, onClick: () => run(() => post(`/schedules/${schedule.id}/resume`)).then(again) }, "Resume")
        : mayStop && button({ key: "pause", type: "button", disabled: busy, onClick: () => setAsked("pause") }, "Pause…"),
      mayStop && button({ key: "delete", type: "button", class: "quiet danger-text", disabled: busy, onClick: () => setAsked("delete") }, "Delete…"),
    ],
  },
  trouble(failure),
  facts([["When", when(schedule)],
    ["Next", schedule.nextAt && [time(schedule.nextAt), span({ class: "dim" }, ` ${distance(schedule.nextAt, now)}`)]],
    ["Paused", schedule.paused && [time(schedule.pausedAt), schedule.pauseReason && [": ", visible(schedule.pauseReason)]]],
    ["Last run", schedule.lastRun ? [link(`/executions/${schedule.lastRun.execution}`, { class: "mono" }, shortId(schedule.lastRun.execution)), " ", schedule.lastRun.state && badge(schedule.lastRun.state), span({ class: "dim" }, " ", distance(schedule.lastRun.at, now))] : span({ class: "dim" }, "none yet")],
    ["Left out", schedule.lastLeftOut && [time(schedule.lastLeftOut.at), span({ class: "dim" }, `: ${LEFT_OUT[schedule.lastLeftOut.reason] ?? schedule.lastLeftOut.reason}`)]]]),
  button({ type: "button", class: "quiet small", "aria-expanded": open, onClick: () => setOpen(!open) }, open ? "Less" : "Next times, executions, script"),
  open && h(More, { schedule }),
  asked === "pause" && h(Pause, { schedule, onClose: close, onDone: done }),
  asked === "delete" && h(Delete, { schedule, onClose: close, onDone: done })));
}

export default function Schedules() {
  const may = useMay("submitter");
  const [most, setMost] = useState(PAGE);
  const list = useLoad(async () => {
    const items = [];
    let next;
    do {
      const page = await get("/schedules" + query({ limit: PAGE, cursor: next }));
      items.push(...page.items);
      next = page.next;
    } while (next && items.length < most);
    return { items, next };
  }, [], { every: 3_000, more: most });
  const now = useNow(1_000);
  return div(
    h(Head, { title: "Schedules", lead: "What runs by itself, at times of a calendar or every so often.", actions: may && link("/schedules/new", { class: "button primary" }, "New schedule") }),
    loaded(list, ({ items, next }) => (items.length ? div(ol({ class: "cards" }, items.map((schedule) => h(Schedule, { key: schedule.id, schedule, again: list.again, now }))),
      next && div({ class: "list-foot" }, button({ type: "button", class: "quiet", onClick: () => setMost(most + PAGE) }, "Show older")))
      : empty("Nothing runs by itself yet", p("A schedule submits a script or a capability for you: each night, on working days at nine, every five minutes."), may && link("/schedules/new", { class: "button primary" }, "Write the first one")))));
}
