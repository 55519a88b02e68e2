import { post, put } from "../lib/api.js";
import { classes, el, h, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
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

const { code, div, form, input, label, p, span, td, textarea, th } = el;
const PATH = "/secrets";
const NAME_LIMITS = { maxLength: 64, pattern: "[A-Za-z][A-Za-z0-9_.\\-]*", placeholder: "weather-key" };
const MIN_LENGTH = 8;

/** Removes one trailing line break, which copying from a file adds. The command line does the same. */
const trimLineBreak = (text) => text.replace(/\r?\n$/, "");

/** The field for a value, hidden unless the user wants to see it. */
function SecretField({ value, set, first }) {
  const [shown, setShown] = useState(false);
  const count = trimLineBreak(value).length;
  return div(
    formField(
      "Value",
      textarea({
        class: classes("mono", !shown && "veiled"),
        rows: 3,
        value,
        required: true,
        autoFocus: first,
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: false,
        onInput: (event) => set(event.target.value),
      }),
      count && (count < MIN_LENGTH || count > MAX_VALUE_LENGTH)
        ? `${count.toLocaleString()} characters; ${MIN_LENGTH} to ${MAX_VALUE_LENGTH.toLocaleString()} are allowed`
        : `${MIN_LENGTH} to ${MAX_VALUE_LENGTH.toLocaleString()} characters; it is not shown again`,
    ),
    label(
      { class: "check" },
      input({ type: "checkbox", checked: shown, onChange: (event) => setShown(event.target.checked) }),
      "Show what I type",
    ),
  );
}

const hasValidLength = (value) =>
  trimLineBreak(value).length >= MIN_LENGTH && trimLineBreak(value).length <= MAX_VALUE_LENGTH;

function NewSecretDialog({ onClose, onDone }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    if (await run(() => post(PATH, { name: name.trim(), value: trimLineBreak(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: "Create secret", onClose },
    form(
      { onSubmit: store, autocomplete: "off" },
      nameField(name, setName, NAME_LIMITS, "a letter, then letters, digits, _ . and -"),
      h(SecretField, { value, set: setValue, first: false }),
      errorBox(failure),
      storeButtons({ busy, isComplete: name.trim() && hasValidLength(value), onClose }),
    ),
  );
}

function RotateDialog({ entry, onClose, onDone }) {
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const change = async (event) => {
    event.preventDefault();
    if (await run(() => put(`${PATH}/${encodeURIComponent(entry.name)}`, { value: trimLineBreak(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: ["New value for “", escapeControls(entry.name), "”"], onClose },
    form(
      { onSubmit: change, autocomplete: "off" },
      p(
        { class: "dim dialog-lead" },
        `It becomes version ${entry.version + 1}. ` +
          "Backends that use the secret reconnect, within two seconds on every node.",
      ),
      h(SecretField, { value, set: setValue, first: true }),
      errorBox(failure),
      storeButtons({ busy, isComplete: hasValidLength(value), onClose }),
    ),
  );
}

const DeleteSecretDialog = (props) =>
  h(DeleteDialog, {
    ...props,
    path: PATH,
    noun: "secret",
    consequence: [
      p(
        { key: "lost" },
        "The value cannot be recovered. Backends that use the secret go down until a secret with this name exists " +
          "again.",
      ),
      props.entry.lastUsedBy &&
        p(
          { key: "used" },
          "Last used by ",
          link("/backends", { class: "mono" }, escapeControls(props.entry.lastUsedBy)),
          ", ",
          time(props.entry.lastUsedAt),
          ".",
        ),
    ],
  });

const cells = (secret) => [
  nameCell(
    secret,
    secret.lastUsedAt
      ? [", used ", time(secret.lastUsedAt), " by ", escapeControls(secret.lastUsedBy)]
      : ", never used",
  ),
  changeCells(secret),
  td(
    { class: "wide-only" },
    secret.lastUsedAt
      ? [
          time(secret.lastUsedAt),
          div({ class: "dim small-text wrap" }, "by ", span({ class: "mono" }, escapeControls(secret.lastUsedBy))),
        ]
      : span({ class: "dim" }, "never"),
  ),
];

export default function Secrets() {
  return h(NamedValuesPage, {
    path: PATH,
    title: "Secrets",
    lead: "Credentials for the backends of your tenant. The service shows their names, never their values.",
    newLabel: "New secret",
    changeLabel: "New value…",
    heads: [
      th("Name"),
      th({ class: "wide-only col-number" }, "Version"),
      th({ class: "wide-only" }, "Changed"),
      th({ class: "wide-only" }, "Last used"),
    ],
    cells,
    empty: [
      "A backend refers to a secret by its name, as ",
      code("secret:weather-key"),
      ". The service hides the value wherever it would appear.",
    ],
    firstLabel: "Store the first secret",
    dialogs: { new: NewSecretDialog, change: RotateDialog, delete: DeleteSecretDialog },
  });
}
