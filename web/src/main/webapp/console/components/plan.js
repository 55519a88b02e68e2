// The plan of a dry run: the changes that it would make, and the button that approves and runs it.
import { get, post } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { visible } from "../lib/escape.js";
import { empty, facts, loaded, panel, pill, TERMINAL, trouble } from "./ui.js";
import { Json } from "./code.js";

const { button, div, li, ol, p, span } = el;

const Effect = ({ effect }) =>
  li(
    { class: "effect" },
    div(
      { class: "effect-head" },
      span({ class: "call-number" }, effect.call),
      span({ class: "mono effect-tool" }, visible(effect.tool)),
      effect.asks && pill("warn", "needs approval"),
      span({ class: "dim small-text" }, "rule ", visible(effect.rule)),
    ),
    div(
      { class: "columns" },
      h(Json, { value: effect.args, label: `Arguments of call ${effect.call}` }),
      effect.answer !== undefined &&
        facts([["Simulated answer", span({ class: "mono" }, visible(JSON.stringify(effect.answer)))]]),
    ),
  );

/** @param {{ id: string, state: string }} props */
export function Plan({ id, state }) {
  const may = useMay("approver");
  const plan = useLoad(() => get(`/plans/${id}`), [id, state]);
  const { busy, failure, run } = useAction();
  const approve = async () => {
    const real = await run(() => post(`/plans/${id}/approve`));
    if (real) go(`/executions/${real.id}`);
  };
  return panel(
    {
      label: "Planned changes",
      wide: true,
      actions:
        may &&
        plan.value?.approvable &&
        button({ type: "button", class: "good", disabled: busy, onClick: approve }, "Approve and run"),
    },
    p(
      { class: "dim" },
      "A dry run: read-only calls were made, the calls listed here were not. When the plan is approved, the script runs for real and can make only these changes.",
    ),
    trouble(failure),
    loaded(plan, ({ effects, approvable }) =>
      div(
        effects.length
          ? ol(
              { class: "bare" },
              effects.map((effect) => h(Effect, { key: effect.call, effect })),
            )
          : empty("No changes"),
        !approvable &&
          TERMINAL.has(state) &&
          p({ class: "dim" }, "This plan cannot be approved: the dry run did not complete, or used recorded answers."),
      ),
    ),
  );
}
