import { get, put, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, emptyState, formField, PageHead, whenLoaded, errorBox } from "../components/ui.js";

const { button, div, form, input, label, p, span, table, tbody, td, textarea, th, thead, tr } = el;
const MAX_LENGTH = 16_384;

/** Sets a new variable, or changes `variable`. */
function SetDialog({ variable, onClose, onDone }) {
  const [name, setName] = useState(variable?.name ?? "");
  const [fromSecret, setFromSecret] = useState(variable?.secret !== undefined);
  const [value, setValue] = useState(variable?.value ?? "");
  const [secret, setSecret] = useState(variable?.secret ?? "");
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    const body = fromSecret ? { secret: secret.trim() } : { value };
    if (await run(() => put(`/variables/${encodeURIComponent(name.trim())}`, body))) onDone();
  };
  const isComplete = name.trim() && (fromSecret ? secret.trim() : value.length <= MAX_LENGTH);
  return h(
    Dialog,
    { title: variable ? ["Change “", escapeControls(variable.name), "”"] : "Set variable", onClose },
    form(
      { onSubmit: store, autocomplete: "off" },
      variable
        ? p({ class: "dim dialog-lead" }, "Executions that were accepted before keep the present value.")
        : formField(
            "Name",
            input({
              value: name,
              required: true,
              maxLength: 200,
              autoFocus: true,
              autocomplete: "off",
              spellcheck: false,
              pattern: "[A-Za-z_][A-Za-z0-9_]*",
              placeholder: "REGION",
              onInput: (event) => setName(event.target.value),
            }),
            "a letter or _, then letters, digits and _",
          ),
      label(
        { class: "check" },
        input({ type: "checkbox", checked: fromSecret, onChange: (event) => setFromSecret(event.target.checked) }),
        "Take the value of a secret",
      ),
      fromSecret
        ? formField(
            "Secret",
            input({
              value: secret,
              required: true,
              maxLength: 64,
              autocomplete: "off",
              spellcheck: false,
              placeholder: "weather-key",
              onInput: (event) => setSecret(event.target.value),
            }),
            "the name of a secret of your tenant",
          )
        : formField(
            "Value",
            textarea({
              class: "mono",
              rows: 3,
              value,
              autocomplete: "off",
              spellcheck: false,
              onInput: (event) => setValue(event.target.value),
            }),
            `at most ${MAX_LENGTH.toLocaleString()} characters; operators and auditors can read it`,
          ),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "primary", disabled: busy || !isComplete }, busy ? "Storing…" : "Store"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function DeleteDialog({ variable, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const deleteVariable = async () => {
    if ((await run(() => remove(`/variables/${encodeURIComponent(variable.name)}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(variable.name), "”?"], onClose },
    p("Runs of capabilities that declare the variable are refused until it is set again."),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteVariable }, "Delete the variable"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

const Variable = ({ variable, mayChange, openDialog }) =>
  tr(
    { "data-name": variable.name },
    td(
      { class: "wrap" },
      span({ class: "mono" }, escapeControls(variable.name)),
      div({ class: "dim small-text narrow-only" }, `version ${variable.version}, changed `, time(variable.changedAt)),
    ),
    td(
      { class: "wrap" },
      variable.secret === undefined
        ? span({ class: "mono" }, escapeControls(variable.value))
        : ["secret ", link("/secrets", { class: "mono" }, escapeControls(variable.secret))],
    ),
    td({ class: "wide-only col-number" }, variable.version),
    td(
      { class: "wide-only" },
      time(variable.changedAt),
      div({ class: "dim small-text wrap" }, "by key ", escapeControls(variable.changedBy)),
    ),
    mayChange &&
      td(
        div(
          { class: "row-actions" },
          button({ type: "button", class: "small", onClick: () => openDialog("set") }, "Change…"),
          button({ type: "button", class: "quiet danger-text small", onClick: () => openDialog("delete") }, "Delete…"),
        ),
      ),
  );

export default function Variables() {
  const mayChange = useHasRole("operator");
  const list = useQuery(() => get("/variables"), [], { interval: 10_000 });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  const done = () => {
    close();
    list.refetch();
  };
  const openNew = () => setDialog({ kind: "set" });
  return div(
    h(PageHead, {
      title: "Variables",
      lead: "Values that capabilities declare and their scripts see as env.",
      actions: mayChange && button({ type: "button", class: "primary", onClick: openNew }, "New variable"),
    }),
    whenLoaded(list, ({ items }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain secrets" },
              thead(
                tr(
                  th("Name"),
                  th("Value"),
                  th({ class: "wide-only col-number" }, "Version"),
                  th({ class: "wide-only" }, "Changed"),
                  mayChange && th(span({ class: "unseen" }, "Change")),
                ),
              ),
              tbody(
                items.map((variable) =>
                  h(Variable, {
                    key: variable.name,
                    variable,
                    mayChange,
                    openDialog: (kind) => setDialog({ kind, variable }),
                  }),
                ),
              ),
            ),
          )
        : emptyState(
            "No variables yet",
            p("A capability that declares ", el.code("env"), " needs a variable of each name before it can run."),
            mayChange && button({ type: "button", class: "primary", onClick: openNew }, "Set the first variable"),
          ),
    ),
    dialog?.kind === "set" && h(SetDialog, { variable: dialog.variable, onClose: close, onDone: done }),
    dialog?.kind === "delete" && h(DeleteDialog, { variable: dialog.variable, onClose: close, onDone: done }),
  );
}
