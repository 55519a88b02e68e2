// Differences between a rerun and the first run.
import { get } from "../lib/api.js";
import { el, h } from "../lib/dom.js";
import { useLoad } from "../lib/load.js";
import { link } from "../lib/route.js";
import { shortId, visible } from "../lib/text.js";
import { loaded, panel, pill } from "./basics.js";
import { LineDiff } from "./diff.js";

const { div, li, ol, p, span } = el;
const NAMES = { state: "State", result: "Result", error: "Error", output: "Output", errorOutput: "Error output" };

const side = (name, text, kind) =>
  div(
    { class: "side-by" },
    span({ class: "dim small-text" }, name),
    el.pre({ class: `json diff-${kind}` }, text === undefined ? "(none)" : visible(text)),
  );

const difference = (label, it) =>
  div(
    { class: "difference", key: label },
    el.h3(label, it.at > 0 ? span({ class: "dim" }, ` from character ${it.at} on`) : ""),
    div({ class: "columns" }, side("first run", it.with, "gone"), side("this run", it.this, "new")),
  );

/** @param {{ id: string, other: string, state: string }} props */
export function Comparison({ id, other, state }) {
  const diff = useLoad(() => get(`/executions/${id}/diff?with=${other}`), [id, other, state]);
  const codes = useLoad(
    () => Promise.all([get(`/executions/${other}/code`), get(`/executions/${id}/code`)]),
    [id, other],
  );
  return div(
    panel(
      { label: "Compared with the first run", wide: true },
      p({ class: "dim" }, "The first run: ", link(`/executions/${other}`, { class: "mono" }, shortId(other))),
      loaded(diff, (it) =>
        div(
          it.same && p(pill("good", "same"), " Both runs have the same calls and outcome."),
          Object.entries(NAMES)
            .filter(([member]) => it[member])
            .map(([member, label]) => difference(label, it[member])),
          it.callsDiffering > 0 && el.h3(`${it.callsDiffering} of ${it.callsCompared} calls differ`),
          it.calls.length > 0 &&
            ol(
              { class: "bare" },
              it.calls.map((call) =>
                li(
                  { key: call.call },
                  el.h4(
                    `Call ${call.call}`,
                    call.onlyIn
                      ? span({ class: "dim" }, call.onlyIn === "this" ? " only in this run" : " only in the first run")
                      : "",
                  ),
                  ["tool", "args", "answer"]
                    .filter((member) => call[member])
                    .map((member) => difference(member, call[member])),
                ),
              ),
            ),
        ),
      ),
    ),
    panel(
      { label: "The scripts", wide: true },
      loaded(codes, ([before, after]) => h(LineDiff, { before: before.code, after: after.code })),
    ),
  );
}
