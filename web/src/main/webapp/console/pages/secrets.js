import { get, post, put, remove } from "../lib/api.js";
import { classes, el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, emptyState, formField, PageHead, whenLoaded, errorBox } from "../components/ui.js";

const { button, div, form, input, label, p, span, table, tbody, td, textarea, th, thead, tr } = el;
const MIN_LENGTH = 8;
const MAX_LENGTH = 16_384;

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
      count && (count < MIN_LENGTH || count > MAX_LENGTH)
        ? `${count.toLocaleString()} characters; ${MIN_LENGTH} to ${MAX_LENGTH.toLocaleString()} are allowed`
        : `${MIN_LENGTH} to ${MAX_LENGTH.toLocaleString()} characters; it is not shown again`,
    ),
    label(
      { class: "check" },
      input({ type: "checkbox", checked: shown, onChange: (event) => setShown(event.target.checked) }),
      "Show what I type",
    ),
  );
}

const hasValidLength = (value) =>
  trimLineBreak(value).length >= MIN_LENGTH && trimLineBreak(value).length <= MAX_LENGTH;

function NewSecretDialog({ onClose, onDone }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    if (await run(() => post("/secrets", { name: name.trim(), value: trimLineBreak(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: "Create secret", onClose },
    form(
      { onSubmit: store, autocomplete: "off" },
      formField(
        "Name",
        input({
          value: name,
          required: true,
          maxLength: 64,
          autoFocus: true,
          autocomplete: "off",
          spellcheck: false,
          pattern: "[A-Za-z][A-Za-z0-9_.\\-]*",
          placeholder: "weather-key",
          onInput: (event) => setName(event.target.value),
        }),
        "a letter, then letters, digits, _ . and -",
      ),
      h(SecretField, { value, set: setValue, first: false }),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button(
          { type: "submit", class: "primary", disabled: busy || !name.trim() || !hasValidLength(value) },
          busy ? "Storing…" : "Store",
        ),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function RotateDialog({ secret, onClose, onDone }) {
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const change = async (event) => {
    event.preventDefault();
    if (await run(() => put(`/secrets/${encodeURIComponent(secret.name)}`, { value: trimLineBreak(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: ["New value for “", escapeControls(secret.name), "”"], onClose },
    form(
      { onSubmit: change, autocomplete: "off" },
      p(
        { class: "dim dialog-lead" },
        `It becomes version ${secret.version + 1}. ` +
          "Backends that use the secret reconnect, within two seconds on every node.",
      ),
      h(SecretField, { value, set: setValue, first: true }),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button(
          { type: "submit", class: "primary", disabled: busy || !hasValidLength(value) },
          busy ? "Storing…" : "Store",
        ),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function DeleteDialog({ secret, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const deleteSecret = async () => {
    if ((await run(() => remove(`/secrets/${encodeURIComponent(secret.name)}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(secret.name), "”?"], onClose },
    p(
      "The value cannot be recovered. Backends that use the secret go down until a secret with this name exists again.",
    ),
    secret.lastUsedBy &&
      p(
        "Last used by ",
        link("/backends", { class: "mono" }, escapeControls(secret.lastUsedBy)),
        ", ",
        time(secret.lastUsedAt),
        ".",
      ),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteSecret }, "Delete the secret"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

const Secret = ({ secret, mayChange, openDialog }) =>
  tr(
    { "data-name": secret.name },
    td(
      { class: "wrap" },
      span({ class: "mono" }, escapeControls(secret.name)),
      div(
        { class: "dim small-text narrow-only" },
        `version ${secret.version}, changed `,
        time(secret.changedAt),
        secret.lastUsedAt
          ? [", used ", time(secret.lastUsedAt), " by ", escapeControls(secret.lastUsedBy)]
          : ", never used",
      ),
    ),
    td({ class: "wide-only col-number" }, secret.version),
    td(
      { class: "wide-only" },
      time(secret.changedAt),
      div({ class: "dim small-text wrap" }, "by key ", escapeControls(secret.changedBy)),
    ),
    td(
      { class: "wide-only" },
      secret.lastUsedAt
        ? [
            time(secret.lastUsedAt),
            div({ class: "dim small-text wrap" }, "by ", span({ class: "mono" }, escapeControls(secret.lastUsedBy))),
          ]
        : span({ class: "dim" }, "never"),
    ),
    mayChange &&
      td(
        div(
          { class: "row-actions" },
          button({ type: "button", class: "small", onClick: () => openDialog("rotate") }, "New value…"),
          button({ type: "button", class: "quiet danger-text small", onClick: () => openDialog("delete") }, "Delete…"),
        ),
      ),
  );

export default function Secrets() {
  const mayChange = useHasRole("operator");
  const list = useQuery(() => get("/secrets"), [], { interval: 10_000 });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  const done = () => {
    close();
    list.refetch();
  };
  const newButton =
    mayChange && button({ type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) }, "New secret");
  return div(
    h(PageHead, {
      title: "Secrets",
      lead: "Credentials for the backends of your tenant. The service shows their names, never their values.",
      actions: newButton,
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
                  th({ class: "wide-only col-number" }, "Version"),
                  th({ class: "wide-only" }, "Changed"),
                  th({ class: "wide-only" }, "Last used"),
                  mayChange && th(span({ class: "unseen" }, "Change")),
                ),
              ),
              tbody(
                items.map((secret) =>
                  h(Secret, { key: secret.name, secret, mayChange, openDialog: (kind) => setDialog({ kind, secret }) }),
                ),
              ),
            ),
          )
        : emptyState(
            "No secrets yet",
            p(
              "A backend refers to a secret by its name, as ",
              el.code("secret:weather-key"),
              ". The service hides the value wherever it would appear.",
            ),
            mayChange &&
              button(
                { type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) },
                "Store the first secret",
              ),
          ),
    ),
    dialog?.kind === "new" && h(NewSecretDialog, { onClose: close, onDone: done }),
    dialog?.kind === "rotate" && h(RotateDialog, { secret: dialog.secret, onClose: close, onDone: done }),
    dialog?.kind === "delete" && h(DeleteDialog, { secret: dialog.secret, onClose: close, onDone: done }),
  );
}
