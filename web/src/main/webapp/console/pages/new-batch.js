// Runs one capability for each row of a file.
import { get, newIdempotencyKey, postFile, queryString } from "../lib/api.js";
import { el, h, useEffect, useRef, useState } from "../lib/dom.js";
import { useAction, useDebounced, useQuery } from "../lib/use-query.js";
import { link, navigate } from "../lib/router.js";
import { escapeControls, truncate } from "../lib/escape.js";
import { emptyState, errorBox, factList, formField, loadingState, PageHead, panel, pill } from "../components/ui.js";
import { FileDrop, mediaType, rowCount } from "../components/rows-file.js";

const { button, caption, datalist, div, form, input, label, option, p, select, span } = el;
const { table, tbody, td, th, thead, tr } = el;
const MAX_CELL_LENGTH = 120;

const LOST_ANSWER =
  "The service did not answer, but it may have accepted the rows. Run them again without changes: rows that were " +
  "accepted are not run twice.";

const EMPTY_FORM = { version: "stable", maxParallel: "", onFailure: "continue", atomic: false, coalesce: false };

/** A value as JSON in one line, so that its type can be seen. @param {unknown} value */
const jsonText = (value) => escapeControls(truncate(JSON.stringify(value), MAX_CELL_LENGTH));

/** Converts the form to the parameters of a submission. @param {typeof EMPTY_FORM & { capability: string }} it */
const parameters = (it) => ({
  capability: it.capability.trim(),
  version: it.version.trim(),
  coalesce: it.coalesce ? "true" : "",
});

/** The columns that show all arguments of the first rows; empty if they have other members. */
function columnsOf(check) {
  const fits = (item) =>
    item.argsOmitted ||
    !("args" in item) ||
    (item.args !== null &&
      typeof item.args === "object" &&
      !Array.isArray(item.args) &&
      Object.keys(item.args).every((name) => check.columns.includes(name)));
  return check.items.every(fits) ? check.columns : [];
}

/** The first rows, each argument in its column if possible. */
function FirstRows({ check }) {
  const columns = columnsOf(check);
  const cells = (item) =>
    item.argsOmitted || !("args" in item)
      ? td({ class: "dim", colSpan: columns.length || 1 }, item.argsOmitted ? "(large)" : "")
      : columns.length
        ? columns.map((name) =>
            td({ key: name, class: "mono wrap" }, Object.hasOwn(item.args, name) ? jsonText(item.args[name]) : ""),
          )
        : td({ class: "mono wrap" }, jsonText(item.args));
  return div(
    { class: "table-scroll", tabIndex: 0, role: "region", "aria-label": "The first rows" },
    table(
      { class: "plain" },
      caption({ class: "unseen" }, "The first rows, as they were read"),
      thead(
        tr(
          th({ scope: "col", class: "col-number" }, "Row"),
          columns.length
            ? columns.map((name) => th({ key: name, scope: "col" }, escapeControls(name)))
            : th({ scope: "col" }, "Arguments"),
          th({ scope: "col" }, "State"),
        ),
      ),
      tbody(
        check.items.map((item) =>
          tr(
            { key: item.index },
            td({ class: "col-number" }, item.index + 1),
            cells(item),
            td(item.problem || item.problemOmitted ? pill("bad", "refused") : "valid"),
          ),
        ),
      ),
    ),
  );
}

const Faults = ({ check }) =>
  div(
    { class: "table-scroll", tabIndex: 0, role: "region", "aria-label": "Refused rows" },
    table(
      { class: "plain" },
      caption({ class: "unseen" }, "The rows that are refused"),
      thead(
        tr(
          th({ scope: "col", class: "col-number" }, "Row"),
          th({ scope: "col", class: "col-number" }, "Line"),
          th({ scope: "col" }, "Argument"),
          th({ scope: "col" }, "Reason"),
        ),
      ),
      tbody(
        check.problems.map(({ index, problem }) =>
          tr(
            { key: index },
            td({ class: "col-number" }, index + 1),
            td({ class: "col-number" }, problem?.sourceLine ?? ""),
            td({ class: "mono wrap" }, escapeControls(problem?.pointer ?? "")),
            td({ class: "wrap" }, problem ? escapeControls(problem.detail) : "(large)"),
          ),
        ),
      ),
    ),
    check.problems.length < check.refused &&
      p({ class: "dim" }, `The first ${check.problems.length} of ${check.refused.toLocaleString()}.`),
  );

const Check = ({ check }) =>
  div(
    panel(
      { label: "First rows", wide: true },
      factList([
        ["Rows", check.total.toLocaleString()],
        ["Runs", span({ class: "mono wrap" }, escapeControls(check.capability))],
        ["Equal rows that share a run", check.coalesced > 0 && check.coalesced.toLocaleString()],
      ]),
      h(FirstRows, { check }),
    ),
    check.refused > 0 && panel({ label: `${rowCount(check.refused)} refused`, wide: true }, h(Faults, { check })),
  );

/** The fields for the capability and the options of the batch. */
const BatchFields = ({ it, set, capabilities, versions }) => {
  const on = (name) => (event) => set({ [name]: event.target.value });
  const choice = (name, text) =>
    label(
      { class: "choice" },
      input({ type: "checkbox", checked: it[name], onChange: (event) => set({ [name]: event.target.checked }) }),
      span(text),
    );
  return panel(
    "Capability and settings",
    formField(
      "Capability",
      input({
        class: "mono",
        value: it.capability,
        list: "capabilities",
        required: true,
        spellcheck: false,
        placeholder: "shop.refund",
        onInput: on("capability"),
      }),
    ),
    datalist(
      { id: "capabilities" },
      capabilities.map(({ name }) => option({ key: name, value: name })),
    ),
    formField(
      "Version",
      input({ class: "mono", value: it.version, list: "versions", spellcheck: false, onInput: on("version") }),
    ),
    datalist(
      { id: "versions" },
      versions.map((version) => option({ key: version, value: version })),
    ),
    formField(
      "At the same time",
      input({
        value: it.maxParallel,
        inputMode: "numeric",
        "aria-describedby": "fault",
        placeholder: it.onFailure === "stop" ? "the default of the server" : "no bound",
        onInput: on("maxParallel"),
      }),
      "maximum number of runs",
    ),
    formField(
      "If a run fails",
      select(
        { value: it.onFailure, onChange: on("onFailure") },
        option({ value: "continue" }, "continue"),
        option({ value: "stop" }, "cancel the rest"),
      ),
    ),
    div(
      { class: "choices" },
      choice("atomic", "Refuse the file if one row is refused"),
      choice("coalesce", "Run equal rows once, if they only read"),
    ),
  );
};

/** @param {{ query: URLSearchParams }} props */
export default function NewBatch({ query }) {
  const [it, setIt] = useState({
    ...EMPTY_FORM,
    capability: query.get("capability") ?? "",
    version: query.get("version") ?? EMPTY_FORM.version,
  });
  const [chosen, setChosen] = useState({ file: /** @type {File | null} */ (null), number: 0 });
  const { file } = chosen;
  const set = (changes) => setIt((old) => ({ ...old, ...changes }));
  const capabilities = useQuery(() => get("/capabilities?limit=200").then(({ items }) => items), []);
  const checked = useDebounced(JSON.stringify(parameters(it)), 300);
  const name = JSON.parse(checked).capability;
  const capability = useQuery(
    () => (name ? get(`/capabilities/${encodeURIComponent(name)}`) : Promise.resolve(null)),
    [name],
  );
  const check = useQuery(
    async (signal) => {
      if (!file || !capability.value) return null;
      const path = "/batches/validate" + queryString(JSON.parse(checked));
      return postFile(path, file, mediaType(file), { signal }).catch((failure) => {
        // A large file is not sent again automatically.
        throw failure.kind === "offline" ? new Error("The service does not answer.") : failure;
      });
    },
    [checked, chosen.number, Boolean(capability.value)],
  );
  const { busy, failure, run } = useAction();
  /** The idempotency key of a request: repeating one whose answer was lost must not run the rows twice. */
  const request = useRef({ content: "", key: "" });
  const aborter = useRef(new AbortController());
  useEffect(() => () => aborter.current.abort(), []);
  const parallel = it.maxParallel.trim();
  const fault = /^(|[1-9]\d*)$/.test(parallel) ? "" : "The number of runs at the same time must be positive.";
  const accepted = check.value ? check.value.total - check.value.refused : 0;
  const current = JSON.stringify(parameters(it)) === checked;
  const blocked = busy || Boolean(fault) || !current || !accepted || (it.atomic && check.value.refused > 0);
  const submit = async (event) => {
    event?.preventDefault();
    if (blocked || !file) return;
    const options = {
      ...parameters(it),
      // The version that was checked, also if the alias has another one now.
      version: check.value.capability.split("@")[1],
      maxParallel: parallel,
      onFailure: it.onFailure,
      atomic: it.atomic ? "true" : "",
    };
    const content = JSON.stringify([options, file.name, file.size, file.lastModified]);
    if (request.current.content !== content) request.current = { content, key: newIdempotencyKey() };
    const { signal } = aborter.current;
    const batch = await run(() =>
      postFile("/batches" + queryString(options), file, mediaType(file), {
        headers: { "Idempotency-Key": request.current.key },
        signal,
      }).catch((failure) => {
        throw failure.kind === "offline" ? new Error(LOST_ANSWER) : failure;
      }),
    );
    if (batch && !signal.aborted) navigate(`/batches/${batch.id}`);
  };
  const loading = file && capability.value && check.value === undefined && !check.failure;
  return form(
    { onSubmit: submit },
    h(PageHead, {
      title: "Run rows",
      lead: "Runs a capability for each row of a file.",
      actions: [
        link("/batches", { class: "button quiet" }, "Cancel"),
        button(
          { type: "submit", class: "primary", disabled: blocked },
          busy ? "Submitting…" : accepted ? `Run ${rowCount(accepted)}` : "Run",
        ),
      ],
    }),
    errorBox(failure),
    p({ class: "bad-text", role: "status", id: "fault" }, fault),
    div(
      { class: "submit" },
      div(
        panel(
          { label: "Rows", wide: true },
          h(FileDrop, {
            file,
            onFile: (/** @type {File} */ next) => setChosen((old) => ({ file: next, number: old.number + 1 })),
          }),
        ),
        errorBox(capability.failure),
        errorBox(check.failure, check.refetch),
        p(
          { class: "unseen", role: "status" },
          check.value && `${rowCount(check.value.total)} checked, ${check.value.refused} refused`,
        ),
        loading && loadingState("Checking the rows…"),
        check.value
          ? h(Check, { check: check.value })
          : !loading &&
              !check.failure &&
              !capability.failure &&
              emptyState(file ? "Choose a capability" : "No file yet"),
      ),
      h(BatchFields, {
        it,
        set,
        capabilities: capabilities.value ?? [],
        versions: ["stable", "latest", ...(capability.value?.versions.map(({ version }) => version) ?? [])],
      }),
    ),
  );
}
