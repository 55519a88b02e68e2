// The frame of the console: session, navigation, and the page that the URL selects.
import "./lib/theme.js";
import * as api from "./lib/api.js";
import { classes, el, h, render, useEffect, useErrorBoundary, useRef, useState } from "./lib/dom.js";
import { clearStoredLists } from "./lib/paged-list.js";
import { useQuery } from "./lib/use-query.js";
import { navigate, link, currentLocation, useLocation } from "./lib/router.js";
import { SessionContext, useHasRole, useSession } from "./lib/session.js";
import { setTheme, theme } from "./lib/theme.js";
import { escapeControls, escapeControlsInText } from "./lib/escape.js";
import { emptyState, loadingState, errorBox } from "./components/ui.js";
import { LoginPage } from "./pages/login.js";

const { aside, button, div, main, nav, span } = el;

/**
 * All pages by URL pattern. A page's module is loaded when the page is first shown.
 * @type {[string, () => Promise<{ default: any }>][]}
 */
const PAGES = [
  ["/executions", () => import("./pages/executions.js")],
  ["/executions/:id", () => import("./pages/execution.js")],
  ["/executions/:id/rerun", () => import("./pages/rerun.js")],
  ["/submit", () => import("./pages/submit.js")],
  ["/approvals", () => import("./pages/approvals.js")],
  ["/batches", () => import("./pages/batches.js")],
  ["/batches/new", () => import("./pages/new-batch.js")],
  ["/batches/:id", () => import("./pages/batch.js")],
  ["/schedules", () => import("./pages/schedules.js")],
  ["/schedules/new", () => import("./pages/schedule.js")],
  ["/callbacks", () => import("./pages/callbacks.js")],
  ["/scripts", () => import("./pages/scripts.js")],
  ["/scripts/:name", () => import("./pages/script.js")],
  ["/capabilities", () => import("./pages/capabilities.js")],
  ["/capabilities/:name", () => import("./pages/capability.js")],
  ["/tools", () => import("./pages/tools.js")],
  ["/tool-graph", () => import("./pages/tool-graph.js")],
  ["/backends", () => import("./pages/backends.js")],
  ["/secrets", () => import("./pages/secrets.js")],
  ["/variables", () => import("./pages/variables.js")],
  ["/queue", () => import("./pages/queue.js")],
  ["/costs", () => import("./pages/costs.js")],
  ["/tenants", () => import("./pages/tenants.js")],
  ["/dead-letters", () => import("./pages/dead-letters.js")],
  ["/policies", () => import("./pages/policies.js")],
  ["/keys", () => import("./pages/keys.js")],
  ["/audit", () => import("./pages/audit.js")],
];

/** Marks navigation entries that only operators of the installation see. */
const OPERATOR_ONLY = "operates";

/**
 * Groups of links: path, label, and the roles that see the link.
 * @type {[string, [string, string, ...string[]][]][]}
 */
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
      ["/scripts", "Scripts"],
      ["/capabilities", "Capabilities"],
      ["/tools", "Tools"],
      ["/tool-graph", "Tool graph"],
      ["/backends", "Backends"],
      ["/policies", "Policies"],
      ["/secrets", "Secrets", "operator", "auditor"],
      ["/variables", "Variables", "operator", "auditor"],
    ],
  ],
  [
    "Service",
    [
      ["/queue", "Queue and nodes", "operator", "auditor"],
      ["/dead-letters", "Dead letters", "submitter", "operator", "auditor"],
      ["/costs", "Costs and quotas", "operator", "auditor"],
      ["/tenants", "Tenants", OPERATOR_ONLY, "operator", "auditor"],
      ["/keys", "API keys", "admin"],
      ["/audit", "Audit log", "auditor"],
    ],
  ],
];

/** Decodes the parts of a path; null if a part has an invalid escape. @param {string[]} parts */
function decodeAll(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Returns the page for a path and its path parameters, or null. @param {string} path */
function findPage(path) {
  for (const [pattern, fetchPage] of PAGES) {
    /** @type {string[]} */
    const names = [];
    const found = new RegExp("^" + pattern.replace(/:(\w+)/g, (_, name) => (names.push(name), "([^/]+)")) + "$").exec(
      path,
    );
    const values = found && decodeAll(found.slice(1));
    if (values)
      return { pattern, fetchPage, params: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
  }
  return null;
}

function NavigationLink({ to, label, roles, path, count, urgent }) {
  const hasRole = useHasRole(...roles);
  const session = useSession();
  if ((roles.length && !hasRole) || (roles.includes(OPERATOR_ONLY) && !session.operates)) return null;
  const isCurrent = path === to || path.startsWith(to + "/");
  return el.li(
    link(
      to,
      { class: classes("nav-link", isCurrent && "nav-here"), "aria-current": isCurrent ? "page" : undefined },
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
  const approvals = useQuery(() => api.get("/approvals?limit=100"), [], { interval: 10_000 });
  const count = approvals.value ? `${approvals.value.items.length}${approvals.value.next ? "+" : ""}` : "";
  const urgent = approvals.value?.items.filter((item) => item.reminders?.times > 0).length ?? 0;
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

/** @typedef {import("./lib/theme.js").Theme} Theme */

/** The theme after each theme, and the label of the button. @type {Record<Theme, [Theme, string]>} */
const THEMES = { auto: ["light", "Theme: system"], light: ["dark", "Theme: light"], dark: ["auto", "Theme: dark"] };

function ThemeButton() {
  const [current, setCurrent] = useState(theme());
  const [next, label] = THEMES[current];
  return button(
    {
      class: "quiet small",
      type: "button",
      onClick: () => {
        setTheme(next);
        setCurrent(next);
      },
    },
    label,
  );
}

function UserInfo({ onLogOut }) {
  const session = useSession();
  return div(
    { class: "who" },
    div(
      {
        class: "who-name",
        title: `${session.keyId.startsWith("jwt:") ? "" : "Key "}${escapeControlsInText(session.keyId)}`,
      },
      escapeControls(session.name),
    ),
    div(
      { class: "dim small-text" },
      "tenant ",
      escapeControls(session.tenant),
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
  const found = findPage(path);
  const [page, setPage] = useState(/** @type {any} */ (null));
  const [failure, reset] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    reset();
    if (!found) return;
    let disposed = false;
    found.fetchPage().then(
      (module) => {
        if (!disposed) setPage({ pattern: found.pattern, component: module.default });
      },
      () => {
        if (!disposed)
          setPage({
            pattern: found.pattern,
            failure: new Error(
              "This page could not be loaded. The service may have been upgraded: reload the console.",
            ),
          });
      },
    );
    return () => {
      disposed = true;
    };
  }, [found?.pattern]);
  if (failure)
    return errorBox(
      new Error("This page failed. Reload the console. If it fails again, see the browser's console (F12)."),
    );
  if (path === "/") return loadingState();
  if (!found) return emptyState("Page not found", link("/executions", { class: "button" }, "Go to executions"));
  if (page?.pattern !== found.pattern) return loadingState();
  return page.failure
    ? errorBox(page.failure, () => location.reload())
    : h(page.component, { ...found.params, query, key: path });
}

function Shell({ onLogOut }) {
  const { path, query } = useLocation();
  const [open, setOpen] = useState(false);
  const firstRender = useRef(true);
  useEffect(() => {
    // The location may have changed since this was rendered.
    if (currentLocation().path === "/") navigate("/executions", { replace: true });
    setOpen(false);
    // After a page change, move the focus to the new page, for the keyboard and screen readers.
    if (!firstRender.current) document.getElementById("main")?.focus({ preventScroll: true });
    firstRender.current = false;
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
      div({ class: "menu", id: "menu" }, h(Navigation, { path }), h(UserInfo, { onLogOut })),
    ),
    main({ id: "main", tabIndex: -1 }, h(Page, { path, query })),
  );
}

function App() {
  const [session, setSession] = useState(/** @type {any} */ (undefined));
  const [failure, setFailure] = useState(/** @type {api.Failure | undefined} */ (undefined));
  const refresh = () =>
    api.getSession().then((found) => {
      setSession((old) => (old?.expired && !found.signedIn ? { ...found, expired: true } : found));
      setFailure(undefined);
    }, setFailure);
  useEffect(() => {
    refresh();
    api.onSignedOut(() =>
      setSession((old) => {
        if (!old?.signedIn) return old;
        // Only an unauthenticated request returns the address of single sign-on.
        refresh();
        return { expired: true };
      }),
    );
  }, []);
  useEffect(clearStoredLists, [session?.csrf]);
  useEffect(() => {
    // The browser can show a page from its cache to another user: check the session first.
    const onPageShow = (event) => {
      if (!event.persisted) return;
      root.hidden = true;
      api.getSession().then(
        (now) => {
          if (now.csrf === session?.csrf) root.hidden = false;
          else location.reload();
        },
        () => location.reload(),
      );
    };
    addEventListener("pageshow", onPageShow);
    return () => removeEventListener("pageshow", onPageShow);
  }, [session?.csrf]);
  if (session === undefined) return div({ class: "alone" }, failure ? errorBox(failure, refresh) : loadingState());
  if (!session?.signedIn)
    return h(LoginPage, { expired: Boolean(session?.expired), signOn: session?.signOn, onLoggedIn: setSession });
  const onLoggedOut = () => {
    setSession(null);
    // Also log out at the identity provider; otherwise the next user of this browser gets in with one click.
    if (session.goodbye) location.assign(session.goodbye);
    else refresh();
  };
  const logOut = () => api.logOut().then(onLoggedOut, onLoggedOut);
  return h(SessionContext.Provider, { value: session }, h(Shell, { onLogOut: logOut }));
}

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
// An approval link works without a session.
if (currentLocation().path === "/approval")
  import("./pages/approval-link.js").then((page) => render(h(page.ApprovalLink, null), root));
else render(h(App, null), root);
