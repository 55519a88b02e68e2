import { logIn } from "../lib/api.js";
import { el, useEffect, useState } from "../lib/dom.js";
import { useAction } from "../lib/use-query.js";
import { errorBox } from "../components/ui.js";

const { a, button, code, div, form, h1, img, input, label, main, p, span } = el;

/** The address of the login at the provider, which returns to the current page. @param {string} signOn */
const providerLoginUrl = (signOn) => `${signOn}?returnTo=${encodeURIComponent(location.pathname + location.search)}`;

/** @param {{ expired: boolean, signOn?: string, onLoggedIn: (session: any) => void }} props */
export function LoginPage({ expired, signOn, onLoggedIn }) {
  const [key, setKey] = useState("");
  const { busy, failure, run } = useAction();
  useEffect(() => {
    document.title = "Log in · Sallyport";
  }, []);
  const submit = async (event) => {
    event.preventDefault();
    const session = await run(() => logIn(key.trim()));
    if (session) onLoggedIn(session);
  };
  return main(
    { class: "alone" },
    form(
      { class: "login", onSubmit: submit, autoComplete: "off" },
      img({ src: new URL("../icon.svg", import.meta.url).href, alt: "", width: 48, height: 48 }),
      h1("Sallyport"),
      p({ class: "lead" }, "Runs scripts with controlled access to tools."),
      expired &&
        div(
          { class: "note", role: "status" },
          p("Your session has ended, or its key is no longer valid. Log in again to continue."),
        ),
      errorBox(failure),
      signOn && a({ class: "button primary sign-on", href: providerLoginUrl(signOn) }, "Log in with single sign-on"),
      signOn && p({ class: "login-or" }, "or with a key"),
      label(
        { class: "field" },
        span({ class: "field-label" }, "API key"),
        input({
          type: "password",
          name: "key",
          value: key,
          required: true,
          autoFocus: !signOn,
          autoComplete: "off",
          spellcheck: false,
          placeholder: "sp_…",
          onInput: (event) => setKey(event.target.value),
        }),
      ),
      button(
        { class: signOn ? "" : "primary", type: "submit", disabled: busy || !key.trim() },
        busy ? "Logging in…" : "Log in",
      ),
      p(
        { class: "dim small-text" },
        "The first start of the service wrote the administrator's key to ",
        code("admin.key"),
        " in the data directory. The browser does not store the key, only a session of at most 12 hours.",
      ),
    ),
  );
}
