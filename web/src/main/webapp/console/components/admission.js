// The part of the form for a submission that says when it runs: start time, deadline, concurrency key, retries.
import { el } from "../lib/dom.js";
import { formField, panel } from "./ui.js";

const { div, input, label, span } = el;

/** The values of the fields in an empty form. */
export const EMPTY_ADMISSION = {
  notBefore: "",
  delaySeconds: "",
  deadline: "",
  concurrencyKey: "",
  retryAttempts: "",
  retrySeconds: "",
  retryErrors: "",
  retryAfterWrites: "",
};

/** Converts seconds that a person typed to milliseconds; NaN if they are no number above 0. @param {string} text */
const milliseconds = (text) => (Number(text) > 0 ? Math.round(Number(text) * 1000) : NaN);

/** The time zone of the browser, in which date fields are read. */
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Converts the value of a date field to a time in UTC; empty if it is none. @param {string} text */
const instant = (text) => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

/**
 * @param {Record<string, string>} form
 * @returns {{ members?: Record<string, any>, fault?: string }}
 */
function parseRetry(form) {
  if (!form.retryAttempts) return { members: {} };
  const attempts = Number(form.retryAttempts);
  if (!Number.isInteger(attempts) || attempts < 1) return { fault: "The number of attempts must be a whole number." };
  const delayMillis = milliseconds(form.retrySeconds);
  if (form.retrySeconds && !delayMillis) return { fault: "The delay of attempts must be a number of seconds." };
  const errorCodes = form.retryErrors.split(/[\s,]+/).filter(Boolean);
  return {
    members: {
      retry: {
        attempts,
        ...(delayMillis ? { delayMillis } : {}),
        ...(errorCodes.length ? { errorCodes } : {}),
        ...(form.retryAfterWrites ? { afterWrites: true } : {}),
      },
    },
  };
}

/**
 * Converts the fields to members of a submission, or returns their fault as text.
 * @param {Record<string, string>} form
 * @returns {{ members?: Record<string, any>, fault?: string }}
 */
export function parseAdmission(form) {
  const delayMillis = milliseconds(form.delaySeconds);
  if (form.delaySeconds && !delayMillis) return { fault: "The delay must be a number of seconds." };
  if (form.delaySeconds && form.notBefore) return { fault: "Enter either a start time or a delay." };
  const notBefore = instant(form.notBefore);
  if (form.notBefore && !notBefore) return { fault: "The start time is not a date and time." };
  const deadline = instant(form.deadline);
  if (form.deadline && !deadline) return { fault: "The deadline is not a date and time." };
  const retry = parseRetry(form);
  if (retry.fault) return { fault: retry.fault };
  const concurrencyKey = form.concurrencyKey.trim();
  return {
    members: {
      ...(notBefore ? { notBefore } : {}),
      ...(delayMillis ? { delayMillis } : {}),
      ...(deadline ? { deadline } : {}),
      ...(concurrencyKey ? { concurrencyKey } : {}),
      ...retry.members,
    },
  };
}

const inputHandler = (set, name) => (event) => set({ [name]: event.target.value });

/**
 * @param {{ form: Record<string, string>, set: (changes: Record<string, string>) => void, repeated?: boolean }} props
 *   repeated: whether the submission belongs to a schedule, which decides when it starts
 */
export const AdmissionFields = ({ form, set, repeated }) => {
  const text = (name, attributes = {}) =>
    input({ value: form[name], spellcheck: false, ...attributes, onInput: inputHandler(set, name) });
  return panel(
    "Start and retries",
    !repeated &&
      div(
        formField("Not before", text("notBefore", { type: "datetime-local" }), `in ${timeZone()}`),
        formField("Start after (s)", text("delaySeconds", { inputMode: "numeric", placeholder: "at once" })),
        formField("Deadline", text("deadline", { type: "datetime-local" }), `in ${timeZone()}`),
      ),
    formField(
      "Concurrency key",
      text("concurrencyKey", { maxLength: 200 }),
      "executions with the same key run one after another",
    ),
    div(
      { class: "field-row" },
      formField("Attempts", text("retryAttempts", { inputMode: "numeric", placeholder: "1" })),
      formField("Delay before the second (s)", text("retrySeconds", { inputMode: "numeric", placeholder: "1" })),
    ),
    form.retryAttempts &&
      div(
        formField(
          "Retry after these errors",
          text("retryErrors", { placeholder: "failures of backends and of the service" }),
        ),
        label(
          { class: "choice" },
          input({
            type: "checkbox",
            checked: Boolean(form.retryAfterWrites),
            onChange: (event) => set({ retryAfterWrites: event.target.checked ? "yes" : "" }),
          }),
          span("also after calls that may have changed something"),
        ),
      ),
  );
};
