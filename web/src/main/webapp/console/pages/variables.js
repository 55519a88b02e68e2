import { put } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";
import { Dialog, formField, errorBox } from "../components/ui.js";
import {
  changeCells,
  DeleteDialog,
  MAX_VALUE_LENGTH,
  nameCell,
  NamedValuesPage,
  nameField,
  storeButtons,
} from "../components/named-values.js";

const { code, form, input, label, p, span, td, textarea, th } = el;
const PATH = "/variables";
const NAME_LIMITS = { maxLength: 200, pattern: "[A-Za-z_][A-Za-z0-9_]*", placeholder: "REGION" };

/** Sets a new variable, or changes `entry`. */
function SetDialog({ entry, onClose, onDone }) {
  const [name, setName] = useState(entry?.name ?? "");
  const [fromSecret, setFromSecret] = useState(entry?.secret !== undefined);
  const [value, setValue] = useState(entry?.value ?? "");
  const [secret, setSecret] = useState(entry?.secret ?? "");
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    const body = fromSecret ? { secret: secret.trim() } : { value };
    if (await run(() => put(`${PATH}/${encodeURIComponent(name.trim())}`, body))) onDone();
  };
  const isComplete = name.trim() && (fromSecret ? secret.trim() : value.length <= MAX_VALUE_LENGTH);
  return h(
    Dialog,
    { title: entry ? ["Change “", escapeControls(entry.name), "”"] : "Set variable", onClose },
    form(
      { onSubmit: store, autocomplete: "off" },
      entry
        ? p({ class: "dim dialog-lead" }, "Executions that were accepted before keep the present value.")
        : nameField(name, setName, NAME_LIMITS, "a letter or _, then letters, digits and _"),
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
            `at most ${MAX_VALUE_LENGTH.toLocaleString()} characters; operators and auditors can read it`,
          ),
      errorBox(failure),
      storeButtons({ busy, isComplete, onClose }),
    ),
  );
}

const DeleteVariableDialog = (props) =>
  h(DeleteDialog, {
    ...props,
    path: PATH,
    noun: "variable",
    consequence: p("Runs of capabilities that declare the variable are refused until it is set again."),
  });

const cells = (variable) => [
  nameCell(variable),
  td(
    { class: "wrap" },
    variable.secret === undefined
      ? span({ class: "mono" }, escapeControls(variable.value))
      : ["secret ", link("/secrets", { class: "mono" }, escapeControls(variable.secret))],
  ),
  changeCells(variable),
];

export default function Variables() {
  return h(NamedValuesPage, {
    path: PATH,
    title: "Variables",
    lead: "Values that capabilities declare and their scripts see as env.",
    newLabel: "New variable",
    changeLabel: "Change…",
    heads: [
      th("Name"),
      th("Value"),
      th({ class: "wide-only col-number" }, "Version"),
      th({ class: "wide-only" }, "Changed"),
    ],
    cells,
    empty: ["A capability that declares ", code("env"), " needs a variable of each name before it can run."],
    firstLabel: "Set the first variable",
    dialogs: { new: SetDialog, change: SetDialog, delete: DeleteVariableDialog },
  });
}
