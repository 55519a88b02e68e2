import { everyEvent, get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go, link } from "../lib/router.js";
import { shortId, visible } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { Head, loaded, panel, pill, trouble } from "../components/ui.js";
import { LineDiff } from "../components/diff.js";
import { Editor } from "../components/editor.js";
import { readJson } from "../components/submission.js";
import { calls } from "../components/trace.js";
import { useVerdict, Verdict } from "../components/validation.js";

const { button, div, input, label, li, ol, p, span } = el;

const MODES = [
  ["fresh", "Run all calls again", "No recorded result is reused."],
  [
    "from",
    "Reuse results before a call",
    "Calls before the selected call get their recorded results. The selected call and all later calls are made again.",
  ],
  ["offline", "Recorded results only", "No call is sent. Every call gets its recorded result."],
];

function Form({ id, first, source, made, tools }) {
  const [code, setCode] = useState(source);
  const [args, setArgs] = useState(JSON.stringify(first.args, null, 2));
  const [mode, setMode] = useState(made.length ? "from" : "fresh");
  const [from, setFrom] = useState(
    made.find((call) => call.success === false)?.call ?? made[made.length - 1]?.call ?? 1,
  );
  const { busy, failure, run } = useAction();
  const given = readJson(args, "The input");
  const verdict = useVerdict(
    given.fault ? null : { code, language: first.language, args: given.value, grants: first.grants },
  );
  const submit = async () => {
    if (given.fault || busy) return;
    const body = {
      mode,
      ...(mode === "from" ? { from } : {}),
      ...(code !== source ? { code } : {}),
      ...(JSON.stringify(given.value) !== JSON.stringify(first.args) ? { args: given.value } : {}),
    };
    const again = await run(() => post(`/executions/${id}/rerun`, body));
    if (again) go(`/executions/${again.id}`);
  };
  return div(
    h(Head, {
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
          disabled: busy || Boolean(given.fault) || verdict.value?.valid === false,
          onClick: submit,
        },
        busy ? "Submitting…" : "Run again",
        el.kbd("Ctrl ↵"),
      ),
    }),
    trouble(failure),
    div(
      { class: "submit" },
      div(
        panel(
          { label: "Script", wide: true },
          h(Editor, { value: code, label: "Script", tools, onChange: setCode, onRun: submit, problems: verdict.marks }),
          h(Verdict, { verdict, fault: given.fault }),
        ),
        code !== source && panel({ label: "Your changes", wide: true }, h(LineDiff, { before: source, after: code })),
      ),
      div(
        panel(
          "Replay mode",
          el.fieldset(
            { class: "choices" },
            el.legend({ class: "unseen" }, "Replay mode"),
            MODES.map(([name, title, what]) =>
              label(
                { class: "choice", key: name },
                input({
                  type: "radio",
                  name: "mode",
                  value: name,
                  checked: mode === name,
                  disabled: name === "from" && !made.length,
                  onChange: () => setMode(name),
                }),
                span(title, span({ class: "field-help" }, what)),
              ),
            ),
          ),
          mode === "from" &&
            ol(
              { class: "call-choices", "aria-label": "First call to make again" },
              made.map((call) =>
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
                    span({ class: "mono" }, visible(call.tool)),
                    span(
                      { class: "dim" },
                      call.success === false ? pill("bad", visible(call.error?.code)) : duration(call.millis),
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
  const all = useLoad(async () => {
    const [first, { code }, trace, tools] = await Promise.all([
      get(`/executions/${id}`),
      get(`/executions/${id}/code`),
      everyEvent(`/executions/${id}/trace`),
      get("/tools"),
    ]);
    return { first, source: code, made: calls(trace.events), tools: tools.items };
  }, [id]);
  return loaded(all, (it) => h(Form, { id, ...it }));
}
