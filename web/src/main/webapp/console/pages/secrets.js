import { get, post, put, remove } from "../lib/api.js";
import { classes, el, h, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { visible } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, empty, field, Head, loaded, trouble } from "../components/ui.js";

const { button, div, form, input, label, p, span, table, tbody, td, textarea, th, thead, tr } = el;
const SHORTEST = 8;
const LONGEST = 16_384;

/** Removes one trailing line break, which copying from a file adds. The command line does the same. */
const meant = (text) => text.replace(/\r?\n$/, "");

/** The field for a value, hidden unless the user wants to see it. */
function Value({ value, set, first }) {
  const [shown, setShown] = useState(false);
  const count = meant(value).length;
  return div(
    field(
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
      count && (count < SHORTEST || count > LONGEST)
        ? `${count.toLocaleString()} characters; ${SHORTEST} to ${LONGEST.toLocaleString()} are allowed`
        : `${SHORTEST} to ${LONGEST.toLocaleString()} characters; it is not shown again`,
    ),
    label(
      { class: "check" },
      input({ type: "checkbox", checked: shown, onChange: (event) => setShown(event.target.checked) }),
      "Show what I type",
    ),
  );
}

const fits = (value) => meant(value).length >= SHORTEST && meant(value).length <= LONGEST;

function NewSecret({ onClose, onDone }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const store = async (event) => {
    event.preventDefault();
    if (await run(() => post("/secrets", { name: name.trim(), value: meant(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: "Create secret", onClose },
    form(
      { onSubmit: store, autocomplete: "off" },
      field(
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
      h(Value, { value, set: setValue, first: false }),
      trouble(failure),
      div(
        { class: "decide-row" },
        button(
          { type: "submit", class: "primary", disabled: busy || !name.trim() || !fits(value) },
          busy ? "Storing…" : "Store",
        ),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function Rotate({ secret, onClose, onDone }) {
  const [value, setValue] = useState("");
  const { busy, failure, run } = useAction();
  const change = async (event) => {
    event.preventDefault();
    if (await run(() => put(`/secrets/${encodeURIComponent(secret.name)}`, { value: meant(value) }))) onDone();
  };
  return h(
    Dialog,
    { title: ["New value for “", visible(secret.name), "”"], onClose },
    form(
      { onSubmit: change, autocomplete: "off" },
      p(
        { class: "dim dialog-lead" },
        `It becomes version ${secret.version + 1}. Backends that use the secret reconnect, within two seconds on every node.`,
      ),
      h(Value, { value, set: setValue, first: true }),
      trouble(failure),
      div(
        { class: "decide-row" },
        button({ type: "submit", class: "primary", disabled: busy || !fits(value) }, busy ? "Storing…" : "Store"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function Delete({ secret, onClose, onDone }) {
  const { busy, failure, run } = useAction();
  const forget = async () => {
    if ((await run(() => remove(`/secrets/${encodeURIComponent(secret.name)}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", visible(secret.name), "”?"], onClose },
    p(
      "The value cannot be recovered. Backends that use the secret go down until a secret with this name exists again.",
    ),
    secret.lastUsedBy &&
      p(
        "Last used by ",
        link("/backends", { class: "mono" }, visible(secret.lastUsedBy)),
        ", ",
        time(secret.lastUsedAt),
        ".",
      ),
    trouble(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: forget }, "Delete the secret"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

const Secret = ({ secret, may, ask }) =>
  tr(
    { "data-name": secret.name },
    td(
      { class: "wrap" },
      span({ class: "mono" }, visible(secret.name)),
      div(
        { class: "dim small-text narrow-only" },
        `version ${secret.version}, changed `,
        time(secret.changedAt),
        secret.lastUsedAt ? [", used ", time(secret.lastUsedAt), " by ", visible(secret.lastUsedBy)] : ", never used",
      ),
    ),
    td({ class: "wide-only col-number" }, secret.version),
    td(
      { class: "wide-only" },
      time(secret.changedAt),
      div({ class: "dim small-text wrap" }, "by key ", visible(secret.changedBy)),
    ),
    td(
      { class: "wide-only" },
      secret.lastUsedAt
        ? [
            time(secret.lastUsedAt),
            div({ class: "dim small-text wrap" }, "by ", span({ class: "mono" }, visible(secret.lastUsedBy))),
          ]
        : span({ class: "dim" }, "never"),
    ),
    may &&
      td(
        div(
          { class: "row-actions" },
          button({ type: "button", class: "small", onClick: () => ask("rotate") }, "New value…"),
          button({ type: "button", class: "quiet danger-text small", onClick: () => ask("delete") }, "Delete…"),
        ),
      ),
  );

export default function Secrets() {
  const may = useMay("operator");
  const list = useLoad(() => get("/secrets"), [], { every: 10_000 });
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  const done = () => {
    close();
    list.again();
  };
  const make =
    may && button({ type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) }, "New secret");
  return div(
    h(Head, {
      title: "Secrets",
      lead: "Credentials for the backends of your tenant. The service shows their names, never their values.",
      actions: make,
    }),
    loaded(list, ({ items }) =>
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
                  may && th(span({ class: "unseen" }, "Change")),
                ),
              ),
              tbody(
                items.map((secret) =>
                  h(Secret, { key: secret.name, secret, may, ask: (kind) => setDialog({ kind, secret }) }),
                ),
              ),
            ),
          )
        : empty(
            "No secrets yet",
            p(
              "A backend refers to a secret by its name, as ",
              el.code("secret:weather-key"),
              ". The service hides the value wherever it would appear.",
            ),
            may &&
              button(
                { type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) },
                "Store the first secret",
              ),
          ),
    ),
    dialog?.kind === "new" && h(NewSecret, { onClose: close, onDone: done }),
    dialog?.kind === "rotate" && h(Rotate, { secret: dialog.secret, onClose: close, onDone: done }),
    dialog?.kind === "delete" && h(Delete, { secret: dialog.secret, onClose: close, onDone: done }),
  );
}
