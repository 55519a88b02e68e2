import { get, post, put, remove } from "../lib/api.js";
import { el, h, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { useSession } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { Dialog, emptyState, formField, PageHead, whenLoaded, pill, errorBox } from "../components/ui.js";

const { button, div, form, input, label, li, p, span, table, tbody, td, textarea, th, thead, tr, ul } = el;
const ROLES = [
  ["submitter", "submits and sees executions"],
  ["approver", "decides approvals"],
  ["operator", "runs the service"],
  ["auditor", "sees everything, changes nothing"],
  ["admin", "everything, including keys"],
];
const LIFETIMES = [
  ["", "never"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
  ["365", "in 1 year"],
];
const DAY = 86_400_000;
const EVERY_TOOL = "*";

const splitWords = (text) => text.split(/[\s,]+/).filter(Boolean);
const grantsAllTools = (grants) => grants.length === 1 && grants[0] === EVERY_TOOL;

/** The tools that the key grants. @param {string[]} grants */
const grantList = (grants) =>
  grantsAllTools(grants)
    ? span({ class: "dim" }, "all tools")
    : grants.length
      ? ul(
          { class: "bare" },
          grants.map((glob) => li({ key: glob, class: "mono wrap" }, escapeControls(glob))),
        )
      : span({ class: "dim" }, "no tools");

/** @param {{ text: string, set: (text: string) => void, empty: string }} props */
const GrantsField = ({ text, set, empty: none }) =>
  formField(
    "Granted tools",
    textarea({
      class: "mono",
      rows: 3,
      value: text,
      placeholder: none,
      spellcheck: false,
      onInput: (event) => set(event.target.value),
    }),
    "Names and globs such as demo.*, one per line. Submissions with this key can grant a script only these tools.",
  );

function NewKeyDialog({ onClose, onCreated }) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState(["submitter"]);
  const [days, setDays] = useState("365");
  const [grants, setGrants] = useState("");
  const { busy, failure, run } = useAction();
  const createKey = async (event) => {
    event.preventDefault();
    const created = await run(() =>
      post("/api-keys", {
        name: name.trim(),
        roles,
        ...(grants.trim() ? { grants: splitWords(grants) } : {}),
        ...(days ? { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() } : {}),
      }),
    );
    if (created) onCreated(created);
  };
  return h(
    Dialog,
    { title: "Create API key", onClose },
    form(
      { onSubmit: createKey },
      formField(
        "Name",
        input({
          value: name,
          required: true,
          maxLength: 200,
          autoFocus: true,
          placeholder: "nightly batch",
          onInput: (event) => setName(event.target.value),
        }),
      ),
      el.fieldset(
        { class: "choices" },
        el.legend({ class: "field-label" }, "Roles"),
        ROLES.map(([role, what]) =>
          label(
            { class: "choice", key: role },
            input({
              type: "checkbox",
              checked: roles.includes(role),
              onChange: (event) =>
                setRoles(event.target.checked ? [...roles, role] : roles.filter((each) => each !== role)),
            }),
            span(role, span({ class: "field-help" }, what)),
          ),
        ),
      ),
      h(GrantsField, { text: grants, set: setGrants, empty: "all tools" }),
      formField(
        "Expires",
        el.select(
          { value: days, onChange: (event) => setDays(event.target.value) },
          LIFETIMES.map(([value, text]) => el.option({ key: value, value }, text)),
        ),
      ),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button({ class: "primary", type: "submit", disabled: busy || !name.trim() || !roles.length }, "Create key"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function ChangeGrantsDialog({ item, onClose, onDone }) {
  const [text, setText] = useState(item.grants.join("\n"));
  const { busy, failure, run } = useAction();
  const change = async (event) => {
    event.preventDefault();
    if (await run(() => put(`/api-keys/${encodeURIComponent(item.id)}/grants`, { grants: splitWords(text) }))) onDone();
  };
  return h(
    Dialog,
    { title: ["Grants of “", escapeControls(item.name), "”"], onClose },
    form(
      { onSubmit: change },
      h(GrantsField, { text, set: setText, empty: "no tools" }),
      p(
        { class: "dim" },
        splitWords(text).length
          ? "The change applies immediately, also to running executions that were submitted with the key."
          : "Without tools, executions submitted with the key cannot call any tool. " +
              "This applies immediately, also to running executions.",
      ),
      errorBox(failure),
      div(
        { class: "decide-row" },
        button({ class: "primary", type: "submit", disabled: busy }, "Grant these"),
        button({ type: "button", disabled: busy, onClick: () => setText(EVERY_TOOL) }, "All tools"),
        button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
      ),
    ),
  );
}

function CreatedKeyDialog({ created, onClose }) {
  const [copied, setCopied] = useState(false);
  return h(
    Dialog,
    { title: "New API key", onClose },
    p("Save it now: it is shown only once. The service stores only its hash."),
    el.pre({ class: "json key-shown", tabIndex: 0, "aria-label": "New API key", role: "region" }, created.key),
    div(
      { class: "decide-row" },
      button(
        {
          type: "button",
          class: "primary",
          onClick: () => navigator.clipboard?.writeText(created.key).then(() => setCopied(true)),
        },
        copied ? "Copied" : "Copy",
      ),
      button({ type: "button", onClick: onClose }, "Done, I saved it"),
    ),
  );
}

function DeleteKeyDialog({ item, onClose, onDone }) {
  const { keyId } = useSession();
  const { busy, failure, run } = useAction();
  const deleteKey = async () => {
    if ((await run(() => remove(`/api-keys/${encodeURIComponent(item.id)}`))) !== undefined) onDone();
  };
  return h(
    Dialog,
    { title: ["Delete “", escapeControls(item.name), "”?"], onClose },
    p(
      "It stops working immediately and ends all its console sessions.",
      item.id === keyId && " You are logged in with this key.",
    ),
    errorBox(failure),
    div(
      { class: "decide-row" },
      button({ type: "button", class: "danger", disabled: busy, onClick: deleteKey }, "Delete the key"),
      button({ type: "button", class: "quiet", onClick: onClose }, "Cancel"),
    ),
  );
}

export default function Keys() {
  const { keyId } = useSession();
  const list = useQuery(() => get("/api-keys"), []);
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const close = () => setDialog(null);
  return div(
    h(PageHead, {
      title: "API keys",
      lead: "Keys that let programs and people use this tenant.",
      actions: button({ type: "button", class: "primary", onClick: () => setDialog({ kind: "new" }) }, "New key"),
    }),
    whenLoaded(list, ({ items }) =>
      items.length
        ? div(
            { class: "panel" },
            table(
              { class: "plain" },
              thead(
                tr(
                  th("Name"),
                  th("Roles and tools"),
                  th({ class: "wide-only" }, "ID"),
                  th({ class: "wide-only" }, "Last used"),
                  th("Expires"),
                  th(span({ class: "unseen" }, "Change")),
                ),
              ),
              tbody(
                items.map((item) =>
                  tr(
                    { key: item.id },
                    td(
                      { class: "wrap" },
                      escapeControls(item.name),
                      item.id === keyId && [" ", pill("quiet", "yours")],
                    ),
                    td(
                      item.roles.map((role) => pill("", role)),
                      div({ class: "small-text" }, grantList(item.grants)),
                    ),
                    td({ class: "wide-only mono dim" }, escapeControls(item.id)),
                    td({ class: "wide-only" }, item.lastUsedAt ? time(item.lastUsedAt) : "never"),
                    td(item.expiresAt ? time(item.expiresAt) : "never"),
                    td(
                      { class: "key-actions" },
                      div(
                        { class: "row-actions" },
                        button(
                          { type: "button", class: "quiet small", onClick: () => setDialog({ kind: "grants", item }) },
                          "Grants…",
                        ),
                        button(
                          {
                            type: "button",
                            class: "quiet danger-text small",
                            onClick: () => setDialog({ kind: "revoke", item }),
                          },
                          "Delete",
                        ),
                      ),
                    ),
                  ),
                ),
              ),
            ),
          )
        : emptyState("No keys"),
    ),
    dialog?.kind === "new" &&
      h(NewKeyDialog, {
        onClose: close,
        onCreated: (created) => {
          setDialog({ kind: "created", created });
          list.refetch();
        },
      }),
    dialog?.kind === "created" && h(CreatedKeyDialog, { created: dialog.created, onClose: close }),
    dialog?.kind === "grants" &&
      h(ChangeGrantsDialog, {
        item: dialog.item,
        onClose: close,
        onDone: () => {
          close();
          list.refetch();
        },
      }),
    dialog?.kind === "revoke" &&
      h(DeleteKeyDialog, {
        item: dialog.item,
        onClose: close,
        onDone: () => {
          close();
          list.refetch();
        },
      }),
  );
}
