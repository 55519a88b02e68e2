import { errorMessage, get, post, putFile, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { formField, PageHead, panel, errorBox } from "../components/ui.js";
import { Editor } from "../components/editor.js";
import { AdmissionFields, EMPTY_ADMISSION } from "../components/admission.js";
import { FileDrop, mediaType } from "../components/rows-file.js";
import { parseSubmission, SubmissionFields } from "../components/submission.js";
import { useValidation, ValidationResult } from "../components/validation.js";

const { button, datalist, div, fieldset, form, input, label, legend, option, p, select, span } = el;
const UNITS = [
  ["60000", "minutes"],
  ["3600000", "hours"],
  ["86400000", "days"],
  ["1000", "seconds"],
];
const CRONS = [
  ["*/15 * * * *", "every 15 minutes"],
  ["0 * * * *", "every hour"],
  ["0 9 * * MON-FRI", "working days at nine"],
  ["0 3 * * *", "each night at three"],
  ["0 6 1 * *", "the first of the month"],
];
const OVERLAPS = [
  ["skip", "skip"],
  ["queue", "wait, then run once"],
  ["cancel-previous", "cancel the previous run"],
  ["allow", "run in parallel"],
];
const CATCH_UPS = [
  ["last", "run the latest once"],
  ["none", "skip"],
  ["all", "run each"],
];
const EXAMPLE = "return await demo.add({ a: 19, b: 23 });\n";
const zones = () => ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])];

const EMPTY_FORM = {
  name: "",
  kind: "cron",
  cron: "0 9 * * MON-FRI",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
  every: "15",
  unit: "60000",
  overlap: "skip",
  catchUp: "last",
  what: "script",
  capability: "",
  version: "stable",
  maxParallel: "",
  code: EXAMPLE,
  language: "javascript",
  args: "{}",
  grants: "",
  labels: "",
  intent: "",
  priority: "4",
  wallSeconds: "",
  durability: "journal",
  ...EMPTY_ADMISSION,
};

/** The member of the request that says what runs, or the fault as text. */
function parseWork(it, file) {
  if (it.what !== "script" && !it.capability.trim()) return { fault: "Enter the name of a capability." };
  const named = { capability: it.capability.trim(), version: it.version.trim() || "stable" };
  if (it.what === "rows") {
    const parallel = it.maxParallel.trim();
    if (!/^(|[1-9]\d*)$/.test(parallel)) return { fault: "The number of runs at the same time must be positive." };
    if (!file) return { fault: "Choose a file with rows." };
    return { work: { batch: { ...named, ...(parallel ? { maxParallel: Number(parallel) } : {}) } } };
  }
  const run = parseSubmission(it.what === "script" ? it : { ...it, code: "-" });
  if (!run.body) return { fault: run.fault };
  const { code, language, ...settings } = run.body;
  return { work: { run: it.what === "script" ? { ...settings, code, language } : { ...settings, ...named } } };
}

/**
 * Converts the form to a request body, or returns its fault as text.
 * @param {Record<string, string>} it @param {File | null} file
 */
function parseForm(it, file) {
  if (!it.name.trim()) return { fault: "Enter a name." };
  const every = Number(it.every) * Number(it.unit);
  if (it.kind === "every" && !(every > 0)) return { fault: "The interval must be a positive number." };
  const { work, fault } = parseWork(it, file);
  if (fault) return { fault };
  return {
    body: {
      name: it.name.trim(),
      overlap: it.overlap,
      catchUp: it.catchUp,
      ...(it.kind === "cron" ? { cron: it.cron.trim(), zone: it.zone.trim() } : { everyMillis: Math.round(every) }),
      ...work,
    },
  };
}

const options = (pairs) => pairs.map(([value, text]) => option({ key: value, value }, text));

const TimesPanel = ({ it, set, on }) =>
  panel(
    "When",
    fieldset(
      { class: "choices" },
      legend({ class: "field-label" }, "Runs"),
      label(
        { class: "choice" },
        input({ type: "radio", name: "kind", checked: it.kind === "cron", onChange: () => set({ kind: "cron" }) }),
        span("at calendar times"),
      ),
      label(
        { class: "choice" },
        input({ type: "radio", name: "kind", checked: it.kind === "every", onChange: () => set({ kind: "every" }) }),
        span("at a fixed interval"),
      ),
    ),
    it.kind === "cron"
      ? div(
          formField(
            "Times (cron)",
            input({ class: "mono", value: it.cron, required: true, spellcheck: false, onInput: on("cron") }),
            "minute, hour, day of month, month, day of week",
          ),
          div(
            { class: "chips schedule-presets", role: "group", "aria-label": "Common times" },
            CRONS.map(([cron, text]) =>
              button(
                {
                  key: cron,
                  type: "button",
                  class: "chip",
                  "aria-pressed": it.cron === cron,
                  onClick: () => set({ cron }),
                },
                text,
              ),
            ),
          ),
          formField(
            "Time zone",
            input({ value: it.zone, list: "zones", required: true, spellcheck: false, onInput: on("zone") }),
          ),
          datalist(
            { id: "zones" },
            zones().map((zone) => option({ key: zone, value: zone })),
          ),
        )
      : div(
          { class: "field-row" },
          formField("Every", input({ value: it.every, inputMode: "decimal", required: true, onInput: on("every") })),
          formField("Unit", select({ value: it.unit, onChange: on("unit") }, options(UNITS))),
        ),
    div(
      { class: "field-row" },
      formField(
        "If the previous run is still going",
        select({ value: it.overlap, onChange: on("overlap") }, options(OVERLAPS)),
      ),
    ),
    div(
      { class: "field-row" },
      formField("Missed runs", select({ value: it.catchUp, onChange: on("catchUp") }, options(CATCH_UPS))),
    ),
  );

export default function NewSchedule() {
  const [it, setIt] = useState(EMPTY_FORM);
  const set = (changes) => setIt((old) => ({ ...old, ...changes }));
  const on = (name) => (event) => set({ [name]: event.target.value });
  const tools = useQuery(() => get("/tools").then(({ items }) => items), []);
  const capabilities = useQuery(() => get("/capabilities?limit=200").then(({ items }) => items), []);
  const { busy, failure, run } = useAction();
  const [file, setFile] = useState(/** @type {File | null} */ (null));
  const parsed = parseForm(it, file);
  const submission = it.what === "script" ? parseSubmission(it) : {};
  const validation = useValidation(submission.body);
  const create = async (event) => {
    event?.preventDefault();
    if (parsed.fault || busy) return;
    const store = async () => {
      if (it.what !== "rows" || !file) return post("/schedules", parsed.body);
      // Paused until it has its file, because it would skip its times.
      const schedule = await post("/schedules", { ...parsed.body, paused: true });
      try {
        await putFile(`/schedules/${schedule.id}/rows`, file, mediaType(file));
        return await post(`/schedules/${schedule.id}/resume`);
      } catch (failure) {
        const left = await remove(`/schedules/${schedule.id}`).then(
          () => false,
          () => true,
        );
        throw left
          ? new Error(`${errorMessage(failure)} The schedule may be left, and may run: see the list of schedules.`)
          : failure;
      }
    };
    if (await run(store)) navigate("/schedules");
  };
  const chosen = capabilities.value?.find(({ name }) => name === it.capability);
  return form(
    { onSubmit: create },
    h(PageHead, {
      title: "New schedule",
      lead: "It runs in your name, with the permissions of your key at that time.",
      actions: [
        link("/schedules", { class: "button quiet" }, "Cancel"),
        button(
          { type: "submit", class: "primary", disabled: busy || Boolean(parsed.fault) },
          busy ? "Creating…" : "Create the schedule",
        ),
      ],
    }),
    errorBox(failure),
    div(
      { class: "submit" },
      div(
        panel(
          {
            label: "Script or capability",
            wide: true,
            actions:
              it.what === "script" &&
              select(
                { value: it.language, "aria-label": "Language", onChange: on("language") },
                option({ value: "javascript" }, "JavaScript"),
                option({ value: "typescript" }, "TypeScript"),
              ),
          },
          formField(
            "Name",
            input({
              value: it.name,
              required: true,
              maxLength: 100,
              autoFocus: true,
              pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*",
              placeholder: "nightly-sum",
              spellcheck: false,
              onInput: on("name"),
            }),
            "letters, digits, . _ and -",
          ),
          fieldset(
            { class: "choices" },
            legend({ class: "field-label" }, "Type"),
            label(
              { class: "choice" },
              input({
                type: "radio",
                name: "what",
                checked: it.what === "script",
                onChange: () => set({ what: "script" }),
              }),
              span("a script"),
            ),
            label(
              { class: "choice" },
              input({
                type: "radio",
                name: "what",
                checked: it.what === "capability",
                onChange: () => set({ what: "capability" }),
              }),
              span("a capability"),
            ),
            label(
              { class: "choice" },
              input({
                type: "radio",
                name: "what",
                checked: it.what === "rows",
                onChange: () => set({ what: "rows" }),
              }),
              span("rows of a file"),
            ),
          ),
          it.what === "script"
            ? div(
                h(Editor, {
                  value: it.code,
                  label: "Script",
                  tools: tools.value ?? [],
                  onChange: (code) => set({ code }),
                  onRun: create,
                  problems: validation.marks,
                }),
                p(
                  { class: "dim small-text editor-help" },
                  span(el.kbd("Ctrl Space"), " completes tools"),
                  span(el.kbd("Esc"), " leaves the editor"),
                ),
                h(ValidationResult, { validation, fault: submission.fault }),
              )
            : div(
                { class: "field-row" },
                formField(
                  "Capability",
                  input({
                    value: it.capability,
                    list: "capabilities",
                    required: true,
                    spellcheck: false,
                    onInput: on("capability"),
                  }),
                  chosen?.description,
                ),
                datalist(
                  { id: "capabilities" },
                  (capabilities.value ?? []).map(({ name }) => option({ key: name, value: name })),
                ),
                formField(
                  "Version",
                  input({ value: it.version, spellcheck: false, onInput: on("version") }),
                  "an alias such as stable is resolved at each run",
                ),
              ),
          it.what === "rows" &&
            div(
              h(FileDrop, { file, onFile: setFile }),
              formField(
                "At the same time",
                input({
                  value: it.maxParallel,
                  inputMode: "numeric",
                  placeholder: "no bound",
                  onInput: on("maxParallel"),
                }),
                "maximum number of runs",
              ),
            ),
        ),
        p({ class: "dim small-text", role: "status" }, parsed.fault ?? ""),
      ),
      div(
        h(TimesPanel, { it, set, on }),
        it.what !== "rows" && h(SubmissionFields, { form: it, set, submit: create }),
        it.what !== "rows" && h(AdmissionFields, { form: it, set, repeated: true }),
      ),
    ),
  );
}
