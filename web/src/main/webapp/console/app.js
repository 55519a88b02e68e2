// The frame of the console: session, navigation, and the page that the URL selects.
import "./lib/theme.js";
import * as api from "./lib/api.js";
import { classes, el, h, render, useEffect, useErrorBoundary, useRef, useState } from "./lib/dom.js";
import { forgetLists } from "./lib/paged-list.js";
import { useLoad } from "./lib/use-query.js";
import { go, link, place, usePlace } from "./lib/router.js";
import { SessionContext, useMay, useSession } from "./lib/session.js";
import { setTheme, theme } from "./lib/theme.js";
import { visible, visibleText } from "./lib/escape.js";
import { empty, loading, trouble } from "./components/ui.js";
import { LogIn } from "./pages/login.js";

const { aside, button, div, main, nav, span } = el;

/** All pages by URL pattern. A page's module is loaded when the page is first shown. */
const PAGES = [
  ["/executions", () => import("./pages/executions.js")],
  ["/executions/:id", () => import("./pages/execution.js")],
  ["/executions/:id/rerun", () => import("./pages/rerun.js")],
  ["/submit", () => import("./pages/submit.js")],
  ["/approvals", () => import("./pages/approvals.js")],
  ["/batches", () => import("./pages/batches.js")],
  ["/batches/:id", () => import("./pages/batch.js")],
  ["/schedules", () => import("./pages/schedules.js")],
  ["/schedules/new", () => import("./pages/schedule.js")],
  ["/callbacks", () => import("./pages/callbacks.js")],
  ["/capabilities", () => import("./pages/capabilities.js")],
  ["/capabilities/:name", () => import("./pages/capability.js")],
  ["/tools", () => import("./pages/tools.js")],
  ["/tool-graph", () => import("./pages/tool-graph.js")],
  ["/backends", () => import("./pages/backends.js")],
  ["/secrets", () => import("./pages/secrets.js")],
  ["/queue", () => import("./pages/queue.js")],
  ["/costs", () => import("./pages/costs.js")],
  ["/tenants", () => import("./pages/tenants.js")],
  ["/dead-letters", () => import("./pages/dead-letters.js")],
  ["/policies", () => import("./pages/policies.js")],
  ["/keys", () => import("./pages/keys.js")],
  ["/audit", () => import("./pages/audit.js")],
];

/** Marks navigation entries that only operators of the installation see. */
const OPERATES = "operates";

const NAVIGATION = [
  [
    "Work",
    [
      ["/executions", "Executions"],
      ["/submit", "Run a script", "submitter"],
      ["/batches", "Batches"],
      ["/schedules", "Schedules"],
      ["/approvals", "Approvals"],
      ["/callbacks", "Callbacks"],
    ],
  ],
  [
    "Tools",
    [
      ["/capabilities", "Capabilities"],
      ["/tools", "Tools"],
      ["/tool-graph", "Tool graph"],
      ["/backends", "Backends"],
      ["/policies", "Policies"],
      ["/secrets", "Secrets", "operator", "auditor"],
    ],
  ],
  [
    "Service",
    [
      ["/queue", "Queue and nodes", "operator", "auditor"],
      ["/dead-letters", "Dead letters", "submitter", "operator", "auditor"],
      ["/costs", "Costs and quotas", "operator", "auditor"],
      ["/tenants", "Tenants", OPERATES, "operator", "auditor"],
      ["/keys", "API keys", "admin"],
      ["/audit", "Audit log", "auditor"],
    ],
  ],
];

/** Decodes the parts of a path; null if a part has an invalid escape. @param {string[]} parts */
function read(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Returns the page for a path and its path parameters, or null. @param {string} path */
function match(path) {
  for (const [form, fetchPage] of PAGES) {
    const names = [];
    const found = new RegExp("^" + form.replace(/:(\w+)/g, (_, name) => (names.push(name), "([^/]+)")) + "$").exec(
      path,
    );
    const values = found && read(found.slice(1));
    if (values)
      return { form, fetchPage, params: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
  }
  return null;
}

function NavigationLink({ to, label, roles, path, count, urgent }) {
  const may = useMay(...roles);
  const session = useSession();
  if ((roles.length && !may) || (roles.includes(OPERATES) && !session.operates)) return null;
  const here = path === to || path.startsWith(to + "/");
  return el.li(
    link(
      to,
      { class: classes("nav-link", here && "nav-here"), "aria-current": here ? "page" : undefined },
      span(label),
      count
        ? span(
            {
              class: classes("nav-count", urgent && "nav-urgent"),
              "aria-label": `${count} open${urgent ? `, ${urgent} of them with a reminder` : ""}`,
            },
            count,
          )
        : null,
    ),
  );
}

function Navigation({ path }) {
  const open = useLoad(() => api.get("/approvals?limit=100"), [], { every: 10_000 });
  const count = open.value ? `${open.value.items.length}${open.value.next ? "+" : ""}` : "";
  const urgent = open.value?.items.filter((item) => item.reminders?.times > 0).length ?? 0;
  return nav(
    { "aria-label": "Pages" },
    NAVIGATION.map(([group, links]) =>
      div(
        { class: "nav-group", key: group },
        span({ class: "nav-title" }, group),
        el.ul(
          links.map(([to, label, ...roles]) =>
            h(NavigationLink, {
              key: to,
              to,
              label,
              roles,
              path,
              count: to === "/approvals" && count !== "0" ? count : "",
              urgent: to === "/approvals" && urgent,
            }),
          ),
        ),
      ),
    ),
  );
}

const THEMES = { auto: ["light", "Theme: system"], light: ["dark", "Theme: light"], dark: ["auto", "Theme: dark"] };

function ThemeButton() {
  const [now, setNow] = useState(theme());
  const [next, label] = THEMES[now];
  return button(
    {
      class: "quiet small",
      type: "button",
      onClick: () => {
        setTheme(next);
        setNow(next);
      },
    },
    label,
  );
}

function Who({ onLogOut }) {
  const session = useSession();
  return div(
    { class: "who" },
    div(
      { class: "who-name", title: `${session.keyId.startsWith("jwt:") ? "" : "Key "}${visibleText(session.keyId)}` },
      visible(session.name),
    ),
    div(
      { class: "dim small-text" },
      "tenant ",
      visible(session.tenant),
      " · ",
      session.roles.length === 5 ? "all roles" : session.roles.join(", "),
    ),
    div(
      { class: "who-actions" },
      h(ThemeButton, null),
      button({ class: "quiet small", type: "button", onClick: onLogOut }, "Log out"),
    ),
  );
}

function Page({ path, query }) {
  const found = match(path);
  const [page, setPage] = useState(/** @type {any} */ (null));
  const [failure, reset] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    reset();
    if (!found) return;
    let gone = false;
    found.fetchPage().then(
      (module) => {
        if (!gone) setPage({ form: found.form, component: module.default });
      },
      () => {
        if (!gone)
          setPage({
            form: found.form,
            failure: new Error(
              "This page could not be loaded. The service may have been upgraded: reload the console.",
            ),
          });
      },
    );
    return () => {
      gone = true;
    };
  }, [found?.form]);
  if (failure)
    return trouble(
      new Error("This page failed. Reload the console. If it fails again, see the browser's console (F12)."),
    );
  if (!found) return empty("Page not found", link("/executions", { class: "button" }, "Go to executions"));
  if (page?.form !== found.form) return loading();
  return page.failure
    ? trouble(page.failure, () => location.reload())
    : h(page.component, { ...found.params, query, key: path });
}

function Shell({ onLogOut }) {
  const { path, query } = usePlace();
  const [open, setOpen] = useState(false);
  const first = useRef(true);
  useEffect(() => {
    if (path === "/") go("/executions", { replace: true });
    setOpen(false);
    // After a page change, move the focus to the new page, for the keyboard and screen readers.
    if (!first.current) document.getElementById("main")?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  return div(
    { class: classes("shell", open && "shell-open") },
    el.a(
      {
        class: "skip",
        href: "#main",
        onClick: (event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        },
      },
      "Skip to content",
    ),
    aside(
      { class: "side" },
      div(
        { class: "side-head" },
        link(
          "/executions",
          { class: "brand" },
          el.img({ src: new URL("./icon.svg", import.meta.url).href, alt: "", width: 26, height: 26 }),
          "Sallyport",
        ),
        button(
          {
            class: "quiet menu-button",
            type: "button",
            "aria-expanded": open,
            "aria-controls": "menu",
            onClick: () => setOpen(!open),
          },
          "Menu",
        ),
      ),
      div({ class: "menu", id: "menu" }, h(Navigation, { path }), h(Who, { onLogOut })),
    ),
    main({ id: "main", tabIndex: -1 }, h(Page, { path, query })),
  );
}

function App() {
  const [session, setSession] = useState(/** @type {any} */ (undefined));
  const [failure, setFailure] = useState(/** @type {unknown} */ (undefined));
  const look = () =>
    api.session().then((found) => {
      setSession((old) => (old?.over && !found.signedIn ? { ...found, over: true } : found));
      setFailure(undefined);
    }, setFailure);
  useEffect(() => {
    look();
    api.whenSignedOut(() =>
      setSession((old) => {
        if (!old?.signedIn) return old;
        // Only an unauthenticated request returns the address of single sign-on.
        look();
        return { over: true };
      }),
    );
  }, []);
  useEffect(forgetLists, [session?.csrf]);
  useEffect(() => {
    // The browser can show a page from its cache to another user: check the session first.
    const shownAgain = (event) => {
      if (!event.persisted) return;
      root.hidden = true;
      api.session().then(
        (now) => {
          if (now.csrf === session?.csrf) root.hidden = false;
          else location.reload();
        },
        () => location.reload(),
      );
    };
    addEventListener("pageshow", shownAgain);
    return () => removeEventListener("pageshow", shownAgain);
  }, [session?.csrf]);
  if (session === undefined) return div({ class: "alone" }, failure ? trouble(failure, look) : loading());
  if (!session?.signedIn)
    return h(LogIn, { over: Boolean(session?.over), signOn: session?.signOn, onLoggedIn: setSession });
  const left = () => {
    setSession(null);
    // Also log out at the identity provider; otherwise the next user of this browser gets in with one click.
    if (session.goodbye) location.assign(session.goodbye);
    else look();
  };
  const logOut = () => api.logOut().then(left, left);
  return h(SessionContext.Provider, { value: session }, h(Shell, { onLogOut: logOut }));
}

const root = document.getElementById("app");
// An approval link works without a session.
if (place().path === "/approval")
  import("./pages/approval-link.js").then((page) => render(h(page.ApprovalLink, null), root));
else render(h(App, null), root);
