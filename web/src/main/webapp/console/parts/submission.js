// The form around a script: input, grants, labels, limits.
import { el, h } from "../lib/dom.js";
import { field, panel } from "./basics.js";
import { Editor } from "./editor.js";

const { div, input, option, select, textarea } = el;

/** JSON that a person has typed. @param {string} text @param {string} what */
export function readJson(text, what) {
  try {
    return { value: text.trim() ? JSON.parse(text) : {} };
  } catch (failure) {
    return { fault: `${what} is not JSON: ${failure.message}` };
  }
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

/** The body that a form stands for, or what is wrong with it. @param {Record<string, string>} form */
export function readSubmission(form) {
  if (!form.code.trim()) return { fault: "There is no script." };
  const args = readJson(form.args, "The input");
  if (args.fault) return { fault: args.fault };
  const labels = {};
  for (const word of words(form.labels)) {
    const [name, ...value] = word.split("=");
    if (!name || !value.length) return { fault: `A label is written name=value, not '${word}'.` };
    labels[name] = value.join("=");
  }
  const seconds = form.wallSeconds ? Number(form.wallSeconds) : 0;
  if (form.wallSeconds && !(seconds > 0)) return { fault: "The time limit is a number of seconds." };
  return { body: {
    code: form.code, language: form.language, args: args.value, priority: Number(form.priority), durability: form.durability,
    ...(form.grants.trim() ? { grants: words(form.grants) } : {}), ...(Object.keys(labels).length ? { labels } : {}),
    ...(form.intent.trim() ? { intent: form.intent.trim() } : {}), ...(seconds ? { limits: { wallMillis: Math.round(seconds * 1000) } } : {}),
  } };
}

const on = (set, name) => (event) => set({ [name]: event.target.value });

/** @param {{ form: Record<string, string>, set: (changes: Record<string, string>) => void, submit: () => void }} props */
export const SubmissionFields = ({ form, set, submit }) => panel("What it is given",
  div({ class: "field" }, el.span({ class: "field-label" }, "Input (args)"), h(Editor, { small: true, mode: "json", label: "Input as JSON", value: form.args, onChange: (args) => set({ args }), onRun: submit })),
  field("Tools it may call", textarea({ rows: 2, value: form.grants, placeholder: "all; or names and globs such as demo.*", spellcheck: false, onInput: on(set, "grants") })),
  field("Why it is to run", input({ value: form.intent, placeholder: "for people who look at it later", onInput: on(set, "intent") })),
  field("Labels", input({ value: form.labels, placeholder: "team=research ticket=OPS-17", spellcheck: false, onInput: on(set, "labels") })),
  div({ class: "field-row" },
    field("Priority", select({ value: form.priority, onChange: on(set, "priority") }, Array.from({ length: 10 }, (_, n) => option({ key: n, value: String(n) }, n === 0 ? "0 (last)" : n === 4 ? "4 (usual)" : n === 9 ? "9 (first)" : n)))),
    field("Time limit, s", input({ value: form.wallSeconds, inputMode: "numeric", placeholder: "usual", onInput: on(set, "wallSeconds") })),
    field("After a crash", select({ value: form.durability, onChange: on(set, "durability") }, option({ value: "journal" }, "goes on"), option({ value: "none" }, "fails")))));
