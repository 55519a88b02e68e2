// The form for a submission: input, grants, labels, limits.
import { el, h } from "../lib/dom.js";
import { field, panel } from "./ui.js";
import { Editor } from "./editor.js";

const { div, input, option, select, textarea } = el;

/**
 * Parses JSON that a person typed; returns the value, or the fault as text.
 * @param {string} text @param {string} what
 */
export function readJson(text, what) {
  try {
    return { value: text.trim() ? JSON.parse(text) : {} };
  } catch (failure) {
    return { fault: `${what} is not JSON: ${failure.message}` };
  }
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

/** Converts the form to a request body, or returns its fault as text. @param {Record<string, string>} form */
export function readSubmission(form) {
  if (!form.code.trim()) return { fault: "The script is empty." };
  const args = readJson(form.args, "The input");
  if (args.fault) return { fault: args.fault };
  const labels = {};
  for (const word of words(form.labels)) {
    const [name, ...value] = word.split("=");
    if (!name || !value.length) return { fault: `A label is written name=value, not '${word}'.` };
    labels[name] = value.join("=");
  }
  const seconds = form.wallSeconds ? Number(form.wallSeconds) : 0;
  if (form.wallSeconds && !(seconds > 0)) return { fault: "The time limit must be a number of seconds." };
  return {
    body: {
      code: form.code,
      language: form.language,
      args: args.value,
      priority: Number(form.priority),
      durability: form.durability,
      ...(form.grants.trim() ? { grants: words(form.grants) } : {}),
      ...(Object.keys(labels).length ? { labels } : {}),
      ...(form.intent.trim() ? { intent: form.intent.trim() } : {}),
      ...(seconds ? { limits: { wallMillis: Math.round(seconds * 1000) } } : {}),
    },
  };
}

const on = (set, name) => (event) => set({ [name]: event.target.value });

/** @param {{ form: Record<string, string>, set: (changes: Record<string, string>) => void, submit: () => void }} props */
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
    field(
      "Granted tools",
      textarea({
        rows: 2,
        value: form.grants,
        placeholder: "all; or names and globs such as demo.*",
        spellcheck: false,
        onInput: on(set, "grants"),
      }),
    ),
    field(
      "Intent",
      input({
        value: form.intent,
        placeholder: "purpose of the run, for readers and approvers",
        onInput: on(set, "intent"),
      }),
    ),
    field(
      "Labels",
      input({
        value: form.labels,
        placeholder: "team=research ticket=OPS-17",
        spellcheck: false,
        onInput: on(set, "labels"),
      }),
    ),
    div(
      { class: "field-row" },
      field(
        "Priority",
        select(
          { value: form.priority, onChange: on(set, "priority") },
          Array.from({ length: 10 }, (_, n) =>
            option(
              { key: n, value: String(n) },
              n === 0 ? "0 (last)" : n === 4 ? "4 (default)" : n === 9 ? "9 (first)" : n,
            ),
          ),
        ),
      ),
      field(
        "Time limit (s)",
        input({
          value: form.wallSeconds,
          inputMode: "numeric",
          placeholder: "default",
          onInput: on(set, "wallSeconds"),
        }),
      ),
      field(
        "After a crash",
        select(
          { value: form.durability, onChange: on(set, "durability") },
          option({ value: "journal" }, "resume"),
          option({ value: "none" }, "fail"),
        ),
      ),
    ),
  );
