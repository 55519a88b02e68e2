// The plan of a dry run: the changes that it would make, and the button that approves and runs it.
import { get, post } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { emptyState, factList, whenLoaded, panel, pill, TERMINAL, errorBox } from "./ui.js";
import { Json } from "./code.js";

const { button, div, li, ol, p, span } = el;

const PlannedChange = ({ effect }) =>
  li(
    { class: "effect" },
    div(
      { class: "effect-head" },
      span({ class: "call-number" }, effect.call),
      span({ class: "mono effect-tool" }, escapeControls(effect.tool)),
      effect.asks && pill("warn", "needs approval"),
      span({ class: "dim small-text" }, "rule ", escapeControls(effect.rule)),
    ),
    div(
      { class: "columns" },
      h(Json, { value: effect.args, label: `Arguments of call ${effect.call}` }),
      effect.answer !== undefined &&
        factList([["Simulated answer", span({ class: "mono" }, escapeControls(JSON.stringify(effect.answer)))]]),
    ),
  );

/** @param {{ id: string, state: string }} props */
export function Plan({ id, state }) {
  const mayApprove = useHasRole("approver");
  const plan = useQuery(() => get(`/plans/${id}`), [id, state]);
  const { busy, failure, run } = useAction();
  const approve = async () => {
    const execution = await run(() => post(`/plans/${id}/approve`));
    if (execution) navigate(`/executions/${execution.id}`);
  };
  return panel(
    {
      label: "Planned changes",
      wide: true,
      actions:
        mayApprove &&
        plan.value?.approvable &&
        button({ type: "button", class: "good", disabled: busy, onClick: approve }, "Approve and run"),
    },
    p(
      { class: "dim" },
      "A dry run: read-only calls were made, the calls listed here were not. " +
        "When the plan is approved, the script runs for real and can make only these changes.",
    ),
    errorBox(failure),
    whenLoaded(plan, ({ effects, approvable }) =>
      div(
        effects.length
          ? ol(
              { class: "bare" },
              effects.map((effect) => h(PlannedChange, { key: effect.call, effect })),
            )
          : emptyState("No changes"),
        !approvable &&
          TERMINAL.has(state) &&
          p({ class: "dim" }, "This plan cannot be approved: the dry run did not complete, or used recorded answers."),
      ),
    ),
  );
}
