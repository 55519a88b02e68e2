// Reasons why a version of a capability is broken: tools that changed since it was published.
import { el } from "../lib/dom.js";
import { link } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";

const { li, span, ul } = el;

/** @param {{ tool: string, kind: string, reason: string, execution?: string }[]} breaches */
export const breachList = (breaches) =>
  ul(
    breaches.map((breach) =>
      li(
        { key: breach.tool, class: "wrap" },
        span({ class: "mono" }, escapeControls(breach.tool)),
        ": ",
        escapeControls(breach.reason),
        breach.execution && [" ", link(`/executions/${breach.execution}`, {}, "see this execution")],
      ),
    ),
  );
