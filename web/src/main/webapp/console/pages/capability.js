import { get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link, updateQuery } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { breachList } from "../components/breaches.js";
import { Dialog, factList, formField, PageHead, whenLoaded, panel, pill, errorBox } from "../components/ui.js";
import { Code, Json } from "../components/code.js";
import { Editor } from "../components/editor.js";
import { parseJson } from "../components/submission.js";

const { button, div, input, li, ol, p, span } = el;

/** A sample input for a schema: its required members. */
function sampleInput(schema) {
  if (schema?.type !== "object") return "{}";
  const value = { string: "", number: 0, integer: 0, boolean: false, array: [], object: {} };
  return JSON.stringify(
    Object.fromEntries(
      (schema.required ?? []).map((name) => [
        name,
        schema.properties?.[name]?.default ?? value[schema.properties?.[name]?.type] ?? null,
      ]),
    ),
    null,
    2,
  );
}

function RunPanel({ it }) {
  const [args, setArgs] = useState(() => sampleInput(it.inputSchema));
  const { busy, failure, run } = useAction();
  const parsed = parseJson(args, "The input");
  const start = async () => {
    if (parsed.fault || busy) return;
    const execution = await run(() =>
      post("/executions", { capability: it.name, version: it.version, args: parsed.value }),
    );
    if (execution) navigate(`/executions/${execution.id}`);
  };
  return panel(
    "Run",
    div(
      { class: "field" },
      span({ class: "field-label" }, "Input (args)"),
      h(Editor, { small: true, mode: "json", label: "Input as JSON", value: args, onChange: setArgs, onRun: start }),
      parsed.fault && p({ class: "bad-text" }, parsed.fault),
    ),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button(
        { type: "button", class: "primary", disabled: busy || Boolean(parsed.fault), onClick: start },
        busy ? "Submitting…" : "Run this version",
      ),
      link(
        `/batches/new?capability=${encodeURIComponent(it.name)}&version=${encodeURIComponent(it.version)}`,
        { class: "button" },
        "Run rows…",
      ),
    ),
  );
}

function DeprecateDialog({ it, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const { busy, failure, run } = useAction();
  const deprecate = async () => {
    if (
      await run(() =>
        post(`/capabilities/${encodeURIComponent(it.name)}/versions/${encodeURIComponent(it.version)}/deprecate`, {
          reason: reason.trim(),
        }),
      )
    )
      onDone();
  };
  return h(
    Dialog,
    { title: ["Deprecate ", escapeControls(it.name), " ", escapeControls(it.version), "?"], onClose },
    p("It can still be run, but is marked as deprecated. The alias of the stable version skips it."),
    formField(
      "Reason",
      input({
        value: reason,
        maxLength: 2000,
        autoFocus: true,
        placeholder: "use 2.0.0",
        onInput: (event) => setReason(event.target.value),
      }),
    ),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deprecate }, "Deprecate"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

const schemaState = (schema) =>
  schema === "changed"
    ? pill("warn", "schema changed")
    : schema === "gone"
      ? pill("bad", "does not exist any more")
      : schema === "unknown"
        ? "not checked"
        : "same schema";

/** The tools that executions of the version have called. */
const UsedTools = ({ tools }) =>
  panel(
    "Used tools",
    el.table(
      { class: "plain" },
      el.thead(el.tr(el.th("Tool"), el.th("Last used"), el.th("With this schema since"), el.th("Now"))),
      el.tbody(
        tools.map((used) =>
          el.tr(
            { key: used.tool },
            el.td({ class: "mono wrap" }, escapeControls(used.tool)),
            el.td(time(used.lastUsedAt)),
            el.td(time(used.since)),
            el.td(schemaState(used.schema)),
          ),
        ),
      ),
    ),
  );

function Version({ name, version, changed }) {
  const path = `/capabilities/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const maySubmit = useHasRole("submitter");
  const mayDeprecate = useHasRole("operator");
  const [asking, setAsking] = useState(false);
  const one = useQuery(() => Promise.all([get(path + "?breaches=true"), get(path + "/code")]), [name, version]);
  return whenLoaded(one, ([it, { code, tests }]) =>
    div(
      it.deprecated &&
        div(
          { class: "note note-warn" },
          div(
            span({ class: "note-title" }, "Deprecated"),
            p(
              it.deprecated.reason ? escapeControls(it.deprecated.reason) : "No reason given.",
              " ",
              span({ class: "dim" }, time(it.deprecated.at)),
            ),
          ),
        ),
      it.breaches.length > 0 &&
        div(
          { class: "note note-warn" },
          div(span({ class: "note-title" }, "Broken: its tools have changed"), breachList(it.breaches)),
        ),
      panel(
        {
          label: `Version ${it.version}`,
          actions:
            mayDeprecate &&
            !it.deprecated &&
            button({ type: "button", class: "quiet danger-text small", onClick: () => setAsking(true) }, "Deprecate…"),
        },
        it.description && p({ class: "wrap pre" }, escapeControls(it.description)),
        factList([
          ["Published", [time(it.publishedAt), " by ", span({ class: "mono wrap" }, escapeControls(it.submittedBy))]],
          ["Hash", span({ class: "mono wrap dim" }, it.hash)],
          ["Calls", it.tools.length ? span({ class: "mono wrap" }, escapeControls(it.tools.join(", "))) : "no tools"],
          ["Variables", it.env.length > 0 && span({ class: "mono wrap" }, escapeControls(it.env.join(", ")))],
          [
            "Tests",
            it.testRun
              ? link(`/executions/${it.testRun}`, {}, "passed when published")
              : it.tested
                ? "passed when published"
                : "none",
          ],
          [
            "Executions",
            link(`/executions?capability=${encodeURIComponent(`${it.name}@${it.version}`)}`, {}, "of this version"),
          ],
        ]),
      ),
      maySubmit && h(RunPanel, { it, key: it.version }),
      div(
        { class: "columns" },
        panel(
          "Input",
          it.inputSchema
            ? h(Json, { value: it.inputSchema, label: "Schema of the input" })
            : p({ class: "dim" }, "Any JSON value."),
        ),
        panel(
          "Result",
          it.outputSchema
            ? h(Json, { value: it.outputSchema, label: "Schema of the result" })
            : p({ class: "dim" }, "Any JSON value."),
        ),
      ),
      it.usedTools.length > 0 && h(UsedTools, { tools: it.usedTools }),
      panel({ label: "Script", wide: true }, h(Code, { source: code })),
      tests && panel({ label: "Tests", wide: true }, h(Code, { source: tests, label: "Tests" })),
      asking &&
        h(DeprecateDialog, {
          it,
          onClose: () => setAsking(false),
          onDone: () => {
            setAsking(false);
            one.refetch();
            changed();
          },
        }),
    ),
  );
}

/** @param {{ name: string, query: URLSearchParams }} props */
export default function Capability({ name, query }) {
  const list = useQuery(() => get(`/capabilities/${encodeURIComponent(name)}`), [name]);
  const lead = "All published versions.";
  return div(
    h(PageHead, {
      title: span({ class: "mono wrap" }, escapeControls(name)),
      name,
      lead,
      actions: link("/capabilities", { class: "button" }, "All capabilities"),
    }),
    whenLoaded(list, (it) => {
      const version = query.get("version") || it.stable || it.latest || it.versions[0].version;
      return div(
        { class: "capability" },
        ol(
          { class: "version-chips", "aria-label": "Versions" },
          it.versions.map((each) =>
            li(
              { key: each.version },
              button(
                {
                  type: "button",
                  class: "chip",
                  "aria-pressed": each.version === version,
                  onClick: () => updateQuery({ version: each.version }),
                },
                escapeControls(each.version),
                each.version === it.stable
                  ? span({ class: "dim" }, " stable")
                  : each.version === it.latest
                    ? span({ class: "dim" }, " latest")
                    : "",
              ),
              each.deprecated && pill("warn", "deprecated"),
            ),
          ),
        ),
        h(Version, { key: version, name, version, changed: list.refetch }),
      );
    }),
  );
}
