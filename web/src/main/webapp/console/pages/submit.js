import { get, post } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go } from "../lib/router.js";
import { Head, panel, trouble } from "../components/ui.js";
import { Editor } from "../components/editor.js";
import { Verdict, useVerdict } from "../components/validation.js";
import { readSubmission, SubmissionFields } from "../components/submission.js";
import { EXAMPLE_TESTS, Tests } from "../components/tests.js";

const { button, div, p, span } = el;
const KEPT = "sallyport-draft";
const EXAMPLE = `// Three calls at once: the whole takes as long as the slowest.
const [sum, now, slow] = await Promise.all([
  demo.add({ a: 19, b: 23 }),
  demo.clock(),
  demo.slow({ millis: 300, value: "worth the wait" }),
]);
console.log("19 + 23 =", sum);
return { sum, now, slow };
`;

const EMPTY = {
  code: EXAMPLE,
  language: "javascript",
  args: "{}",
  grants: "",
  labels: "",
  intent: "",
  priority: "4",
  wallSeconds: "",
  durability: "journal",
  tests: EXAMPLE_TESTS,
};

function draft() {
  try {
    return { ...EMPTY, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };
  } catch {
    return EMPTY;
  }
}

export default function Submit() {
  const [form, setForm] = useState(draft);
  const tools = useLoad(() => get("/tools").then(({ items }) => items), []);
  const { busy, failure, run } = useAction();
  useEffect(() => {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(form));
    } catch {
      // Without storage, a reload discards the draft.
    }
  }, [form]);
  const read = readSubmission(form);
  const verdict = useVerdict(read.body);
  const submit = async (dryRun = false) => {
    const now = readSubmission(form);
    if (now.fault || busy) return;
    const execution = await run(() => post("/executions", dryRun ? { ...now.body, dryRun } : now.body));
    if (execution) go(`/executions/${execution.id}`);
  };
  const unfit = busy || Boolean(read.fault) || verdict.value?.valid === false;
  const set = (changes) => setForm((old) => ({ ...old, ...changes }));
  return div(
    h(Head, {
      title: "Run a script",
      lead: "A script can use only its input and the granted tools.",
      actions: [
        button(
          {
            type: "button",
            disabled: unfit,
            title: "Lists the changes without making them",
            onClick: () => submit(true),
          },
          "Dry run",
        ),
        button(
          { type: "button", class: "primary", disabled: unfit, onClick: () => submit() },
          busy ? "Submitting…" : "Run",
          el.kbd("Ctrl ↵"),
        ),
      ],
    }),
    trouble(failure),
    div(
      { class: "submit" },
      panel(
        {
          label: "Script",
          wide: true,
          actions: el.select(
            {
              value: form.language,
              "aria-label": "Language",
              onChange: (event) => set({ language: event.target.value }),
            },
            el.option({ value: "javascript" }, "JavaScript"),
            el.option({ value: "typescript" }, "TypeScript"),
          ),
        },
        h(Editor, {
          value: form.code,
          label: "Script",
          tools: tools.value ?? [],
          onChange: (code) => set({ code }),
          onRun: () => submit(),
          problems: verdict.marks,
        }),
        p(
          { class: "dim small-text editor-help" },
          span(el.kbd("Ctrl Space"), " completes tools"),
          span(el.kbd("Ctrl ↵"), " runs"),
          span(el.kbd("Esc"), " leaves the editor"),
        ),
        h(Verdict, { verdict, fault: read.fault }),
      ),
      h(SubmissionFields, { form, set, submit: () => submit() }),
      h(Tests, { form, set, read }),
    ),
  );
}
