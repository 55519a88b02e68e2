import { get, post } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, visible } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import { facts, field, Head, loaded, panel, pill, trouble } from "../components/ui.js";
import { Json } from "../components/code.js";
import { LineDiff } from "../components/diff.js";
import { Editor } from "../components/editor.js";
import { readJson } from "../components/submission.js";
import { SILENCE, valueAtExpiry } from "./approvals.js";

const { button, div, input, li, ol, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const KINDS = { allow: "good", deny: "bad", ask: "warn", mock: "" };
const START = {
  rules: [
    {
      name: "no-mail-at-night",
      tools: ["demo.send_mail"],
      then: "deny",
      reason: "mail is sent by day",
      hours: { from: "22:00", until: "06:00", zone: "UTC" },
    },
  ],
  otherwise: "standard",
};
const pretty = (value) => JSON.stringify(value, null, 2);

const verdict = (kind) => pill(KINDS[kind] ?? "", kind);

function Explain({ tools, document }) {
  const [tool, setTool] = useState("demo.send_mail");
  const [text, setText] = useState('{ "to": "ada", "subject": "Hello", "body": "Hi" }');
  const { busy, failure, run } = useAction();
  const [said, setSaid] = useState(/** @type {any} */ (null));
  const given = readJson(text, "The arguments");
  const ask = async () =>
    setSaid(
      (await run(() =>
        post("/policies/explain", { tool, arguments: given.value, ...(document ? { document } : {}) }),
      )) ?? null,
    );
  return panel(
    "Explain one call",
    field(
      "Tool",
      select(
        {
          value: tool,
          onChange: (event) => {
            setTool(event.target.value);
            setSaid(null);
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
        onRun: ask,
      }),
      given.fault && span({ class: "bad-text" }, given.fault),
    ),
    button(
      { type: "button", disabled: busy || Boolean(given.fault), onClick: ask },
      document ? "Explain with these rules" : "Explain with the rules in force",
    ),
    trouble(failure),
    said &&
      div(
        { class: "said", role: "status" },
        facts([
          ["Decision", verdict(said.decision)],
          ["Rule", span({ class: "mono" }, visible(said.rule))],
          ["Reason", said.reason && visible(said.reason)],
          ["Approvers", said.approvers],
          ["Time to decide", said.patienceMillis && duration(said.patienceMillis)],
          ["On expiry", said.atExpiry && SILENCE[said.atExpiry]],
          ["Answer on expiry", said.atExpiry && valueAtExpiry(said)],
          ["Mocked answer", said.value !== undefined && h(Json, { value: said.value, label: "Mocked answer" })],
        ]),
      ),
  );
}

const Trial = ({ trial }) =>
  div(
    { class: "said", role: "status" },
    p(
      `${trial.calls} calls of the ${trial.executions} newest executions: `,
      trial.changed.length
        ? `${trial.changed.length} would get a different decision.`
        : "all would get the same decision.",
      trial.complete === false ? " Not all requested executions were checked." : "",
    ),
    trial.changed.length > 0 &&
      table(
        { class: "plain" },
        thead(tr(th("Execution"), th("Call"), th("Current"), th("New"), th("Rule"))),
        tbody(
          trial.changed
            .slice(0, 50)
            .map((it) =>
              tr(
                { key: it.execution + it.call },
                td(link(`/executions/${it.execution}`, { class: "mono" }, shortId(it.execution))),
                td(`${it.call} `, span({ class: "mono" }, visible(it.tool))),
                td(verdict(it.now)),
                td(verdict(it.then)),
                td({ class: "mono" }, visible(it.rule)),
              ),
            ),
        ),
      ),
  );

function Rules({ versions, tools, again }) {
  const present = versions[0];
  const [text, setText] = useState(pretty(present?.document ?? START));
  const [comment, setComment] = useState("");
  const [trial, setTrial] = useState(/** @type {any} */ (null));
  const mayTry = useMay("submitter", "approver", "operator");
  const mayStore = useMay();
  const action = useAction();
  const given = readJson(text, "The document");
  const changed = present ? !given.fault && pretty(given.value) !== pretty(present.document) : true;
  const attempt = async () =>
    setTrial((await action.run(() => post("/policies/try", { document: given.value, executions: 200 }))) ?? null);
  const store = async () => {
    const stored = await action.run(() =>
      post("/policies", { document: given.value, comment, replaces: present?.version ?? 0 }),
    );
    if (stored) {
      setComment("");
      setTrial(null);
      again();
    }
  };
  return div(
    { class: "submit" },
    div(
      panel(
        {
          label: present
            ? `Rules, version ${present.version}`
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
            setTrial(null);
          },
        }),
        given.fault && p({ class: "bad-text" }, given.fault),
        trouble(action.failure),
        mayTry &&
          div(
            { class: "decide-row" },
            button(
              { type: "button", disabled: action.busy || Boolean(given.fault), onClick: attempt },
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
                  disabled: action.busy || Boolean(given.fault) || !changed,
                  onClick: store,
                },
                "Put in force",
              ),
          ),
        trial && h(Trial, { trial }),
      ),
      present &&
        changed &&
        !given.fault &&
        panel(
          { label: "Your changes", wide: true },
          h(LineDiff, { before: pretty(present.document), after: pretty(given.value) }),
        ),
    ),
    div(
      mayTry && h(Explain, { tools, document: changed && !given.fault ? given.value : undefined }),
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
                      { type: "button", class: "quiet small", onClick: () => setText(pretty(version.document)) },
                      `Version ${version.version}`,
                    ),
                    version === present && pill("good", "in force"),
                  ),
                  span({ class: "dim small-text" }, time(version.createdAt), " by key ", visible(version.author)),
                  version.comment && span(visible(version.comment)),
                ),
              ),
            )
          : p({ class: "dim" }, "None yet."),
      ),
    ),
  );
}

export default function Policies() {
  const all = useLoad(async () => {
    const [versions, tools] = await Promise.all([get("/policies"), get("/tools")]);
    return { versions: versions.items, tools: tools.items };
  }, []);
  return div(
    h(Head, {
      title: "Policies",
      lead: "The first matching rule decides whether a call is allowed, denied, mocked, or needs approval.",
    }),
    loaded(all, ({ versions, tools }) =>
      h(Rules, { key: versions[0]?.version ?? 0, versions, tools, again: all.again }),
    ),
  );
}
