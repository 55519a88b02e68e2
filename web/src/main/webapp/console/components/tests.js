// Tests of the script in the editor.
import { post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { panel, pill, errorBox } from "./ui.js";
import { Editor } from "./editor.js";

const { button, div, li, p, span, ul } = el;

export const EXAMPLE_TESTS = `mock("demo.clock", () => "2026-01-01T00:00:00Z");
mock("demo.add", ({ a, b }) => a + b);
mock("demo.slow", ({ value }) => value);

test("adds", async () => {
  const result = await main();
  assert.is(result.sum, 42);
});
`;

function TestReport({ report }) {
  const { summary } = report;
  return div(
    { class: "test-report", role: "status" },
    p(
      report.success ? pill("good", "passed") : pill("bad", "failed"),
      ` ${summary.passed} of ${summary.total} passed`,
      summary.skipped > 0 && `, ${summary.skipped} skipped`,
      ". ",
      link(`/executions/${report.execution}`, {}, "Execution"),
    ),
    report.error &&
      p(
        { class: "bad-text wrap" },
        escapeControls(report.error.message),
        report.error.line
          ? span(
              { class: "dim" },
              ` (line ${report.error.line} of the ${report.error.member === "tests" ? "tests" : "script"})`,
            )
          : "",
      ),
    report.tests.length > 0 &&
      ul(
        { class: "bare" },
        report.tests.map((test, index) =>
          li(
            { key: index, class: "test-line" },
            test.skipped ? pill("quiet", "skipped") : test.passed ? pill("good", "passed") : pill("bad", "failed"),
            " ",
            span({ class: "wrap" }, escapeControls(test.name)),
            " ",
            span({ class: "dim" }, duration(test.durationMillis)),
            test.error && div({ class: "bad-text wrap pre" }, escapeControls(test.error)),
          ),
        ),
      ),
    report.output &&
      el.pre(
        { class: "json", tabIndex: 0, role: "region", "aria-label": "Output of the tests" },
        escapeControls(report.output),
      ),
  );
}

/**
 * @param {{ form: Record<string, string>, set: (changes: Record<string, string>) => void,
 *   parsed: { body?: any } }} props `parsed`: the submission
 */
export function TestPanel({ form, set, parsed }) {
  const { busy, failure, run } = useAction();
  const [report, setReport] = useState(/** @type {any} */ (null));
  const runTests = async () => {
    if (busy || !parsed.body || !form.tests.trim()) return;
    setReport(null);
    const { code, language, args } = parsed.body;
    setReport((await run(() => post("/tests", { code, language, args, tests: form.tests }))) ?? null);
  };
  return panel(
    {
      label: "Tests",
      wide: true,
      actions: button(
        { type: "button", disabled: busy || !parsed.body || !form.tests.trim(), onClick: runTests },
        busy ? "Testing…" : "Run the tests",
      ),
    },
    h(Editor, { small: true, value: form.tests, label: "Tests", onChange: (tests) => set({ tests }), onRun: runTests }),
    p(
      { class: "dim small-text" },
      "Tools are mocked with ",
      el.code("mock(tool, fn or value)"),
      "; nothing else is called.",
    ),
    errorBox(failure),
    report && h(TestReport, { report }),
  );
}
