import { loadEvents, get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { PageHead, whenLoaded, panel, pill, errorBox } from "../components/ui.js";
import { LineDiff } from "../components/diff.js";
import { Editor } from "../components/editor.js";
import { parseJson } from "../components/submission.js";
import { toCalls } from "../components/trace.js";
import { useValidation, ValidationResult } from "../components/validation.js";

const { button, div, input, label, li, ol, span } = el;

const MODES = [
  ["fresh", "Run all calls again", "No recorded result is reused."],
  [
    "from",
    "Reuse results before a call",
    "Calls before the selected call get their recorded results. The selected call and all later calls are made again.",
  ],
  ["offline", "Recorded results only", "No call is sent. Every call gets its recorded result."],
];

function RerunForm({ id, original, source, recordedCalls, tools }) {
  const [code, setCode] = useState(source);
  const [args, setArgs] = useState(JSON.stringify(original.args, null, 2));
  const [mode, setMode] = useState(recordedCalls.length ? "from" : "fresh");
  const [from, setFrom] = useState(
    recordedCalls.find((call) => call.success === false)?.call ?? recordedCalls[recordedCalls.length - 1]?.call ?? 1,
  );
  const { busy, failure, run } = useAction();
  const parsedArgs = parseJson(args, "The input");
  const validation = useValidation(
    parsedArgs.fault ? null : { code, language: original.language, args: parsedArgs.value, grants: original.grants },
  );
  const submit = async () => {
    if (parsedArgs.fault || busy) return;
    const body = {
      mode,
      ...(mode === "from" ? { from } : {}),
      ...(code !== source ? { code } : {}),
      ...(JSON.stringify(parsedArgs.value) !== JSON.stringify(original.args) ? { args: parsedArgs.value } : {}),
    };
    const rerun = await run(() => post(`/executions/${id}/rerun`, body));
    if (rerun) navigate(`/executions/${rerun.id}`);
  };
  return div(
    h(PageHead, {
      title: "Run again",
      lead: [
        "Rerun of ",
        link(`/executions/${id}`, { class: "mono" }, shortId(id)),
        ", with the same grants and limits.",
      ],
      actions: button(
        {
          type: "button",
          class: "primary",
          disabled: busy || Boolean(parsedArgs.fault) || validation.value?.valid === false,
          onClick: submit,
        },
        busy ? "Submitting…" : "Run again",
        el.kbd("Ctrl ↵"),
      ),
    }),
    errorBox(failure),
    div(
      { class: "submit" },
      div(
        panel(
          { label: "Script", wide: true },
          h(Editor, {
            value: code,
            label: "Script",
            tools,
            onChange: setCode,
            onRun: submit,
            problems: validation.marks,
          }),
          h(ValidationResult, { validation, fault: parsedArgs.fault }),
        ),
        code !== source && panel({ label: "Your changes", wide: true }, h(LineDiff, { before: source, after: code })),
      ),
      div(
        panel(
          "Replay mode",
          el.fieldset(
            { class: "choices" },
            el.legend({ class: "unseen" }, "Replay mode"),
            MODES.map(([name, title, help]) =>
              label(
                { class: "choice", key: name },
                input({
                  type: "radio",
                  name: "mode",
                  value: name,
                  checked: mode === name,
                  disabled: name === "from" && !recordedCalls.length,
                  onChange: () => setMode(name),
                }),
                span(title, span({ class: "field-help" }, help)),
              ),
            ),
          ),
          mode === "from" &&
            ol(
              { class: "call-choices", "aria-label": "First call to make again" },
              recordedCalls.map((call) =>
                li(
                  { key: call.call, class: call.call < from ? "call-recorded" : "" },
                  label(
                    input({
                      type: "radio",
                      name: "from",
                      checked: from === call.call,
                      onChange: () => setFrom(call.call),
                    }),
                    span({ class: "call-number" }, call.call),
                    span({ class: "mono" }, escapeControls(call.tool)),
                    span(
                      { class: "dim" },
                      call.success === false ? pill("bad", escapeControls(call.error?.code)) : duration(call.millis),
                    ),
                    call.call < from ? pill("quiet", "recorded") : pill("", "made again"),
                  ),
                ),
              ),
            ),
        ),
        panel(
          "Input",
          h(Editor, {
            small: true,
            mode: "json",
            label: "Input as JSON",
            value: args,
            onChange: setArgs,
            onRun: submit,
          }),
        ),
      ),
    ),
  );
}

/** @param {{ id: string }} props */
export default function Rerun({ id }) {
  const data = useQuery(async () => {
    const [original, { code }, trace, tools] = await Promise.all([
      get(`/executions/${id}`),
      get(`/executions/${id}/code`),
      loadEvents(`/executions/${id}/trace`),
      get("/tools"),
    ]);
    return { original, source: code, recordedCalls: toCalls(trace.events), tools: tools.items };
  }, [id]);
  return whenLoaded(data, (it) => h(RerunForm, { id, ...it }));
}
