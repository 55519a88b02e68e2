import { get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { factList, formField, PageHead, whenLoaded, panel, pill, errorBox } from "../components/ui.js";
import { Json } from "../components/code.js";
import { LineDiff } from "../components/diff.js";
import { Editor } from "../components/editor.js";
import { parseJson } from "../components/submission.js";
import { EXPIRY_OUTCOMES, valueAtExpiry } from "./approvals.js";

const { button, div, input, li, ol, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const PILL_KINDS = { allow: "good", deny: "bad", ask: "warn", mock: "" };
const EXAMPLE = {
  rules: [
    {
      name: "no-mail-at-night",
      tools: ["demo.send_mail"],
      decision: "deny",
      reason: "mail is sent by day",
      hours: { from: "22:00", until: "06:00", zone: "UTC" },
    },
  ],
  otherwise: "standard",
};
const formatJson = (value) => JSON.stringify(value, null, 2);

const decisionPill = (kind) => pill(PILL_KINDS[kind] ?? "", kind);

function ExplainPanel({ tools, document }) {
  const [tool, setTool] = useState("demo.send_mail");
  const [text, setText] = useState('{ "to": "ada", "subject": "Hello", "body": "Hi" }');
  const { busy, failure, run } = useAction();
  const [explanation, setExplanation] = useState(/** @type {any} */ (null));
  const parsedArgs = parseJson(text, "The arguments");
  const explain = async () =>
    setExplanation(
      (await run(() =>
        post("/policies/explain", { tool, arguments: parsedArgs.value, ...(document ? { document } : {}) }),
      )) ?? null,
    );
  return panel(
    "Explain one call",
    formField(
      "Tool",
      select(
        {
          value: tool,
          onChange: (event) => {
            setTool(event.target.value);
            setExplanation(null);
          },
        },
        tools.map((each) => option({ key: each.name, value: each.name }, each.name)),
      ),
    ),
    div(
      { class: "field" },
      span({ class: "field-label" }, "Arguments"),
      h(Editor, {
        small: true,
        mode: "json",
        label: "Arguments to explain",
        value: text,
        onChange: setText,
        onRun: explain,
      }),
      parsedArgs.fault && span({ class: "bad-text" }, parsedArgs.fault),
    ),
    button(
      { type: "button", disabled: busy || Boolean(parsedArgs.fault), onClick: explain },
      document ? "Explain with these rules" : "Explain with the rules in force",
    ),
    errorBox(failure),
    explanation &&
      div(
        { class: "said", role: "status" },
        factList([
          ["Decision", decisionPill(explanation.decision)],
          ["Rule", span({ class: "mono" }, escapeControls(explanation.rule))],
          ["Reason", explanation.reason && escapeControls(explanation.reason)],
          ["Approvers", explanation.approvers],
          ["Time to decide", explanation.timeoutMillis && duration(explanation.timeoutMillis)],
          ["On expiry", explanation.atExpiry && EXPIRY_OUTCOMES[explanation.atExpiry]],
          ["Answer on expiry", explanation.atExpiry && valueAtExpiry(explanation)],
          [
            "Mocked answer",
            explanation.value !== undefined && h(Json, { value: explanation.value, label: "Mocked answer" }),
          ],
        ]),
      ),
  );
}

const BacktestResult = ({ trial: backtest }) =>
  div(
    { class: "said", role: "status" },
    p(
      `${backtest.calls} calls of the ${backtest.executions} newest executions: `,
      backtest.changed.length
        ? `${backtest.changed.length} would get a different decision.`
        : "all would get the same decision.",
      backtest.complete === false ? " Not all requested executions were checked." : "",
    ),
    backtest.changed.length > 0 &&
      table(
        { class: "plain" },
        thead(tr(th("Execution"), th("Call"), th("Current"), th("New"), th("Rule"))),
        tbody(
          backtest.changed
            .slice(0, 50)
            .map((it) =>
              tr(
                { key: it.execution + it.call },
                td(link(`/executions/${it.execution}`, { class: "mono" }, shortId(it.execution))),
                td(`${it.call} `, span({ class: "mono" }, escapeControls(it.tool))),
                td(decisionPill(it.current)),
                td(decisionPill(it.proposed)),
                td({ class: "mono" }, escapeControls(it.rule)),
              ),
            ),
        ),
      ),
  );

function Rules({ versions, tools, refetch }) {
  const current = versions[0];
  const [text, setText] = useState(formatJson(current?.document ?? EXAMPLE));
  const [comment, setComment] = useState("");
  const [backtest, setBacktest] = useState(/** @type {any} */ (null));
  const mayTry = useHasRole("submitter", "approver", "operator");
  const mayStore = useHasRole();
  const action = useAction();
  const parsed = parseJson(text, "The document");
  const changed = current ? !parsed.fault && formatJson(parsed.value) !== formatJson(current.document) : true;
  const runBacktest = async () =>
    setBacktest(
      (await action.run(() => post("/policies/backtest", { document: parsed.value, executions: 200 }))) ?? null,
    );
  const store = async () => {
    const stored = await action.run(() =>
      post("/policies", { document: parsed.value, comment, replaces: current?.version ?? 0 }),
    );
    if (stored) {
      setComment("");
      setBacktest(null);
      refetch();
    }
  };
  return div(
    { class: "submit" },
    div(
      panel(
        {
          label: current
            ? `Rules, version ${current.version}`
            : "No rules yet: destructive tools need approval, all others are allowed",
          wide: true,
        },
        h(Editor, {
          small: true,
          mode: "json",
          label: "Rules",
          value: text,
          onChange: (next) => {
            setText(next);
            setBacktest(null);
          },
        }),
        parsed.fault && p({ class: "bad-text" }, parsed.fault),
        errorBox(action.failure),
        mayTry &&
          div(
            { class: "decide-row" },
            button(
              { type: "button", disabled: action.busy || Boolean(parsed.fault), onClick: runBacktest },
              "Try on the newest executions",
            ),
            mayStore &&
              input({
                class: "grow",
                "aria-label": "Comment",
                value: comment,
                placeholder: "Reason for the change",
                onInput: (event) => setComment(event.target.value),
              }),
            mayStore &&
              button(
                {
                  type: "button",
                  class: "primary",
                  disabled: action.busy || Boolean(parsed.fault) || !changed,
                  onClick: store,
                },
                "Put in force",
              ),
          ),
        backtest && h(BacktestResult, { trial: backtest }),
      ),
      current &&
        changed &&
        !parsed.fault &&
        panel(
          { label: "Your changes", wide: true },
          h(LineDiff, { before: formatJson(current.document), after: formatJson(parsed.value) }),
        ),
    ),
    div(
      mayTry && h(ExplainPanel, { tools, document: changed && !parsed.fault ? parsed.value : undefined }),
      panel(
        "Versions",
        versions.length
          ? ol(
              { class: "bare versions" },
              versions.map((version) =>
                li(
                  { key: version.version },
                  span(
                    button(
                      { type: "button", class: "quiet small", onClick: () => setText(formatJson(version.document)) },
                      `Version ${version.version}`,
                    ),
                    version === current && pill("good", "in force"),
                  ),
                  span(
                    { class: "dim small-text" },
                    time(version.createdAt),
                    " by key ",
                    escapeControls(version.author),
                  ),
                  version.comment && span(escapeControls(version.comment)),
                ),
              ),
            )
          : p({ class: "dim" }, "None yet."),
      ),
    ),
  );
}

export default function Policies() {
  const data = useQuery(async () => {
    const [versions, tools] = await Promise.all([get("/policies"), get("/tools")]);
    return { versions: versions.items, tools: tools.items };
  }, []);
  return div(
    h(PageHead, {
      title: "Policies",
      lead: "The first matching rule decides whether a call is allowed, denied, mocked, or needs approval.",
    }),
    whenLoaded(data, ({ versions, tools }) =>
      h(Rules, { key: versions[0]?.version ?? 0, versions, tools, refetch: data.refetch }),
    ),
  );
}
