import { get, post, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, factList, PageHead, whenLoaded, panel, errorBox } from "../components/ui.js";
import { Code } from "../components/code.js";
import { Editor } from "../components/editor.js";
import { parseJson } from "../components/submission.js";

const { button, div, p, span } = el;

/** Runs exactly the shown code: the hash refuses a script that got the name meanwhile. */
function RunPanel({ script }) {
  const [args, setArgs] = useState("{}");
  const { busy, failure, run } = useAction();
  const parsed = parseJson(args, "The input");
  const start = async () => {
    if (parsed.fault || busy) return;
    const execution = await run(() =>
      post("/executions", { cached: script.name, integrity: script.hash, args: parsed.value }),
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
        busy ? "Submitting…" : "Run this script",
      ),
    ),
  );
}

function DeleteDialog({ script, onClose }) {
  const { busy, failure, run } = useAction();
  const deleteScript = async () => {
    if ((await run(() => remove(`/scripts/${encodeURIComponent(script.name)}`))) !== undefined) navigate("/scripts");
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(script.name), "”?"], onClose },
    p("Clients that run the script by this name get an error. Executions of it stay, with their code."),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteScript }, "Delete the script"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

/** @param {{ name: string }} props */
export default function Script({ name }) {
  const maySubmit = useHasRole("submitter");
  const mayDelete = useHasRole("submitter", "operator");
  const [asking, setAsking] = useState(false);
  const one = useQuery(() => get(`/scripts/${encodeURIComponent(name)}`), [name]);
  return div(
    h(PageHead, {
      title: span({ class: "mono wrap" }, escapeControls(name)),
      name,
      lead: "A saved script.",
      actions: link("/scripts", { class: "button" }, "All scripts"),
    }),
    whenLoaded(one, (script) =>
      div(
        { class: "capability" },
        panel(
          {
            label: "Script",
            actions:
              mayDelete &&
              button({ type: "button", class: "quiet danger-text small", onClick: () => setAsking(true) }, "Delete…"),
          },
          script.description && p({ class: "wrap pre" }, escapeControls(script.description)),
          factList([
            ["Language", script.language],
            ["Saved", [time(script.savedAt), " by key ", span({ class: "mono" }, escapeControls(script.savedBy))]],
            ["Last use", time(script.usedAt)],
            ["Hash", span({ class: "mono wrap dim" }, script.hash)],
            ["Execution", link(`/executions/${script.execution}`, {}, "a completed execution")],
          ]),
        ),
        maySubmit && h(RunPanel, { script, key: script.hash }),
        panel({ label: "Code", wide: true }, h(Code, { source: script.code })),
        asking && h(DeleteDialog, { script, onClose: () => setAsking(false) }),
      ),
    ),
  );
}
