import { get, post } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate } from "../lib/router.js";
import { PageHead, panel, errorBox } from "../components/ui.js";
import { Editor } from "../components/editor.js";
import { ValidationResult, useValidation } from "../components/validation.js";
import { AdmissionFields, EMPTY_ADMISSION } from "../components/admission.js";
import { parseSubmission, SubmissionFields } from "../components/submission.js";
import { EXAMPLE_TESTS, TestPanel } from "../components/tests.js";

const { button, div, p, span } = el;
const DRAFT_KEY = "sallyport-draft";
const EXAMPLE = `// Three parallel calls: together they take as long as the slowest one.
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
  ...EMPTY_ADMISSION,
  tests: EXAMPLE_TESTS,
};

function loadDraft() {
  try {
    return { ...EMPTY, ...JSON.parse(sessionStorage.getItem(DRAFT_KEY) ?? "{}") };
  } catch {
    return EMPTY;
  }
}

export default function Submit() {
  const [form, setForm] = useState(loadDraft);
  const tools = useQuery(() => get("/tools").then(({ items }) => items), []);
  const { busy, failure, run } = useAction();
  useEffect(() => {
    try {
      // Without the times: they would have passed when the draft is used again.
      sessionStorage.setItem(DRAFT_KEY, JSON.stringify({ ...form, notBefore: "", deadline: "" }));
    } catch {
      // Without storage, a reload discards the draft.
    }
  }, [form]);
  const parsed = parseSubmission(form);
  const validation = useValidation(parsed.body);
  const submit = async (dryRun = false) => {
    const current = parseSubmission(form);
    if (current.fault || busy) return;
    // A dry run lists the changes now: it neither waits for a start time or a key nor is run again.
    const body = dryRun ? { ...parseSubmission({ ...form, ...EMPTY_ADMISSION }).body, dryRun } : current.body;
    const execution = await run(() => post("/executions", body));
    if (execution) navigate(`/executions/${execution.id}`);
  };
  const blocked = busy || Boolean(parsed.fault) || validation.value?.valid === false;
  const set = (changes) => setForm((old) => ({ ...old, ...changes }));
  return div(
    h(PageHead, {
      title: "Run a script",
      lead: "A script can use only its input and the granted tools.",
      actions: [
        button(
          {
            type: "button",
            disabled: blocked,
            title: "Lists the changes without making them",
            onClick: () => submit(true),
          },
          "Dry run",
        ),
        button(
          { type: "button", class: "primary", disabled: blocked, onClick: () => submit() },
          busy ? "Submitting…" : "Run",
          el.kbd("Ctrl ↵"),
        ),
      ],
    }),
    errorBox(failure),
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
          problems: validation.marks,
        }),
        p(
          { class: "dim small-text editor-help" },
          span(el.kbd("Ctrl Space"), " completes tools"),
          span(el.kbd("Ctrl ↵"), " runs"),
          span(el.kbd("Esc"), " leaves the editor"),
        ),
        h(ValidationResult, { validation, fault: parsed.fault }),
      ),
      div(h(SubmissionFields, { form, set, submit: () => submit() }), h(AdmissionFields, { form, set })),
      h(TestPanel, { form, set, parsed }),
    ),
  );
}
