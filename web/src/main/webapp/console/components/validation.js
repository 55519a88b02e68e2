// The validation of a script before it runs.
import { post } from "../lib/api.js";
import { el, useMemo } from "../lib/dom.js";
import { useQuery, useDebounced } from "../lib/use-query.js";
import { escapeControls } from "../lib/escape.js";
import { pill } from "./ui.js";

const { div, li, p, span, ul } = el;
const TIERS = {
  direct: "as one call, without the script engine",
  simple: "as one call, without the script engine",
  sandbox: "in the sandbox",
};

/** Validates a submission after the user has stopped typing. @param {any} body */
export function useValidation(body) {
  const debounced = useDebounced(body ? JSON.stringify(body) : "", 300);
  const query = useQuery(
    async () =>
      debounced && JSON.parse(debounced).code.trim()
        ? post("/validate", undefined, { body: debounced, headers: { "Content-Type": "application/json" } })
        : null,
    [debounced],
  );
  const value = query.value ?? undefined;
  const marks = useMemo(() => {
    if (!value) return [];
    const problems = value.problem?.line
      ? [{ line: value.problem.line, column: value.problem.column, message: value.problem.detail }]
      : [];
    return [
      ...problems,
      ...value.tools
        .filter((tool) => tool.line && (!tool.known || !tool.granted || tool.fault))
        .map((tool) => ({ line: tool.line, column: tool.column, message: tool.name, warning: true })),
    ];
  }, [value]);
  return { value, failure: query.failure, marks };
}

const toolError = (tool) =>
  !tool.known
    ? [
        "There is no tool ",
        el.code(escapeControls(tool.name)),
        tool.suggestions?.length
          ? [". Did you mean ", el.code(escapeControls(tool.suggestions.slice(0, 3).join(", "))), "?"]
          : ".",
      ]
    : !tool.granted
      ? [el.code(escapeControls(tool.name)), " is not granted."]
      : [el.code(escapeControls(tool.name)), ": ", escapeControls(tool.fault)];

/** @param {{ validation: ReturnType<typeof useValidation>, fault?: string }} props */
export function ValidationResult({ validation, fault }) {
  const it = validation.value;
  const flaggedTools = it?.tools.filter((tool) => !tool.known || !tool.granted || tool.fault) ?? [];
  return div(
    { class: "verdict", role: "status", "aria-live": "polite" },
    fault
      ? p(pill("bad", "incomplete"), " ", fault)
      : validation.failure
        ? p(pill("bad", "not checked"), " ", escapeControls(validation.failure.message))
        : !it
          ? p({ class: "dim" }, "…")
          : it.valid
            ? p(
                pill("good", "can run"),
                " ",
                TIERS[it.tier] ?? it.tier,
                it.tools.length
                  ? [
                      "; calls ",
                      [...new Set(it.tools.map(({ name }) => name))]
                        .slice(0, 8)
                        .map((name, index) => [index ? ", " : "", el.code({ key: name }, escapeControls(name))]),
                    ]
                  : "; calls no tools",
              )
            : p(
                pill("bad", "cannot run"),
                " ",
                escapeControls(it.problem?.detail ?? ""),
                it.problem?.line ? span({ class: "dim" }, ` (line ${it.problem.line})`) : "",
              ),
    flaggedTools.length > 0 &&
      ul(
        flaggedTools
          .slice(0, 6)
          .map((tool, index) =>
            li({ key: index }, tool.line ? span({ class: "dim" }, `Line ${tool.line}: `) : "", toolError(tool)),
          ),
      ),
  );
}
