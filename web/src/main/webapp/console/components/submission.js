// The form for a submission: input, grants, labels, limits.
import { errorMessage } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { formField, panel } from "./ui.js";
import { Editor } from "./editor.js";
import { parseAdmission } from "./admission.js";

const { div, input, option, select, textarea } = el;

/**
 * Parses JSON that a person typed; returns the value, or the fault as text.
 * @param {string} text @param {string} subject
 */
export function parseJson(text, subject) {
  try {
    return { value: text.trim() ? JSON.parse(text) : {} };
  } catch (failure) {
    return { fault: `${subject} is not JSON: ${errorMessage(failure)}` };
  }
}

const splitWords = (text) => text.split(/[\s,]+/).filter(Boolean);

/** Converts the form to a request body, or returns its fault as text. @param {Record<string, string>} form */
export function parseSubmission(form) {
  if (!form.code.trim()) return { fault: "The script is empty." };
  const args = parseJson(form.args, "The input");
  if (args.fault) return { fault: args.fault };
  /** @type {Record<string, string>} */
  const labels = {};
  for (const word of splitWords(form.labels)) {
    const [name, ...value] = word.split("=");
    if (!name || !value.length) return { fault: `A label is written name=value, not '${word}'.` };
    labels[name] = value.join("=");
  }
  const seconds = form.wallSeconds ? Number(form.wallSeconds) : 0;
  if (form.wallSeconds && !(seconds > 0)) return { fault: "The time limit must be a number of seconds." };
  const admission = parseAdmission(form);
  if (admission.fault) return { fault: admission.fault };
  return {
    body: {
      code: form.code,
      language: form.language,
      args: args.value,
      priority: Number(form.priority),
      durability: form.durability,
      ...(form.grants.trim() ? { grants: splitWords(form.grants) } : {}),
      ...(Object.keys(labels).length ? { labels } : {}),
      ...(form.intent.trim() ? { intent: form.intent.trim() } : {}),
      ...(seconds ? { limits: { wallMillis: Math.round(seconds * 1000) } } : {}),
      ...admission.members,
    },
  };
}

const inputHandler = (set, name) => (event) => set({ [name]: event.target.value });

/**
 * @param {{ form: Record<string, string>, set: (changes: Record<string, string>) => void,
 *   submit: () => void }} props
 */
export const SubmissionFields = ({ form, set, submit }) =>
  panel(
    "Input and settings",
    div(
      { class: "field" },
      el.span({ class: "field-label" }, "Input (args)"),
      h(Editor, {
        small: true,
        mode: "json",
        label: "Input as JSON",
        value: form.args,
        onChange: (args) => set({ args }),
        onRun: submit,
      }),
    ),
    formField(
      "Granted tools",
      textarea({
        rows: 2,
        value: form.grants,
        placeholder: "all; or names and globs such as demo.*",
        spellcheck: false,
        onInput: inputHandler(set, "grants"),
      }),
    ),
    formField(
      "Intent",
      input({
        value: form.intent,
        placeholder: "purpose of the run, for readers and approvers",
        onInput: inputHandler(set, "intent"),
      }),
    ),
    formField(
      "Labels",
      input({
        value: form.labels,
        placeholder: "team=research ticket=OPS-17",
        spellcheck: false,
        onInput: inputHandler(set, "labels"),
      }),
    ),
    div(
      { class: "field-row" },
      formField(
        "Priority",
        select(
          { value: form.priority, onChange: inputHandler(set, "priority") },
          Array.from({ length: 10 }, (_, n) =>
            option(
              { key: n, value: String(n) },
              n === 0 ? "0 (last)" : n === 4 ? "4 (default)" : n === 9 ? "9 (first)" : n,
            ),
          ),
        ),
      ),
      formField(
        "Time limit (s)",
        input({
          value: form.wallSeconds,
          inputMode: "numeric",
          placeholder: "default",
          onInput: inputHandler(set, "wallSeconds"),
        }),
      ),
      formField(
        "After a crash",
        select(
          { value: form.durability, onChange: inputHandler(set, "durability") },
          option({ value: "journal" }, "resume"),
          option({ value: "none" }, "fail"),
        ),
      ),
    ),
  );
