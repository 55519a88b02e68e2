// The validation of a script before it runs.
import { post } from "../lib/api.js";
import { el, useMemo } from "../lib/dom.js";
import { useLoad, useSettled } from "../lib/use-query.js";
import { visible } from "../lib/escape.js";
import { pill } from "./ui.js";

const { div, li, p, span, ul } = el;
const TIERS = {
  direct: "as one call, without the script engine",
  simple: "as one call, without the script engine",
  sandbox: "in the sandbox",
};

/** Validates a submission after the user has stopped typing. @param {any} body */
export function useVerdict(body) {
  const settled = useSettled(body ? JSON.stringify(body) : "", 300);
  const asked = useLoad(
    async () =>
      settled && JSON.parse(settled).code.trim()
        ? post("/validate", undefined, { body: settled, headers: { "Content-Type": "application/json" } })
        : null,
    [settled],
  );
  const value = asked.value ?? undefined;
  const marks = useMemo(() => {
    if (!value) return [];
    const wrong = value.problem?.line
      ? [{ line: value.problem.line, column: value.problem.column, message: value.problem.detail }]
      : [];
    return [
      ...wrong,
      ...value.tools
        .filter((tool) => tool.line && (!tool.known || !tool.granted || tool.fault))
        .map((tool) => ({ line: tool.line, column: tool.column, message: tool.name, mild: true })),
    ];
  }, [value]);
  return { value, failure: asked.failure, marks };
}

const toolFault = (tool) =>
  !tool.known
    ? [
        "There is no tool ",
        el.code(visible(tool.name)),
        tool.near?.length ? [". Did you mean ", el.code(visible(tool.near.slice(0, 3).join(", "))), "?"] : ".",
      ]
    : !tool.granted
      ? [el.code(visible(tool.name)), " is not granted."]
      : [el.code(visible(tool.name)), ": ", visible(tool.fault)];

/** @param {{ verdict: ReturnType<typeof useVerdict>, fault?: string }} props */
export function Verdict({ verdict, fault }) {
  const it = verdict.value;
  const doubts = it?.tools.filter((tool) => !tool.known || !tool.granted || tool.fault) ?? [];
  return div(
    { class: "verdict", role: "status", "aria-live": "polite" },
    fault
      ? p(pill("bad", "incomplete"), " ", fault)
      : verdict.failure
        ? p(pill("bad", "not checked"), " ", visible(verdict.failure.message))
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
                        .map((name, index) => [index ? ", " : "", el.code({ key: name }, visible(name))]),
                    ]
                  : "; calls no tools",
              )
            : p(
                pill("bad", "cannot run"),
                " ",
                visible(it.problem?.detail ?? ""),
                it.problem?.line ? span({ class: "dim" }, ` (line ${it.problem.line})`) : "",
              ),
    doubts.length > 0 &&
      ul(
        doubts
          .slice(0, 6)
          .map((tool, index) =>
            li({ key: index }, tool.line ? span({ class: "dim" }, `Line ${tool.line}: `) : "", toolFault(tool)),
          ),
      ),
  );
}
