package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Frame;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.SameSiteAttribute;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Attacks from pages of other sites in the browser of a logged-in user, and data that remains in the browser after a
 * logout.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleCrossSiteIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String COOKIE = "sallyport-session";

    /**
     * Submits a form whose body is valid JSON for a server that ignores the content type. Browsers send forms without a
     * CORS preflight.
     */
    private static final String SUBMIT_FORM = """
            ([to, mark, type]) => {
              const form = document.createElement("form");
              form.method = "POST";
              form.action = to;
              form.enctype = type;
              const field = document.createElement("input");
              field.name = `{"code": "return 1", "labels": {"mark": "${mark}", "rest": "`;
              field.value = '"}}';
              form.append(field);
              document.body.append(form);
              setTimeout(() => form.submit());
            }""";

    /** Returns the names of the attempts whose response the page could read. */
    private static final String TRY_FETCHES = """
            async ([to, mark, id]) => {
              const code = JSON.stringify({ code: "return 1", labels: { mark } });
              const send = (path, options) => () => fetch(to + path, { credentials: "include", ...options });
              const all = "/api/v1/executions";
              const tries = {
                list: send(all),
                session: send("/console/session"),
                output: send(`${all}/${id}`),
                opaque: send(all, { mode: "no-cors" }),
                navigated: send(all, { mode: "no-cors", redirect: "manual" }),
                json: send(all, { method: "POST", body: code, headers: { "Content-Type": "application/json" } }),
                guarded: send(all, { method: "POST", body: code, headers: { "Content-Type": "application/json", \
            "X-Sallyport-CSRF": "0".repeat(64) } }),
                plain: send(all, { method: "POST", body: code, mode: "no-cors" }),
                form: send(all, { method: "POST", body: new URLSearchParams({ code: "return 1" }), mode: "no-cors" }),
                cancel: send(`${all}/${id}/cancel`, { method: "POST", mode: "no-cors" }),
                leave: send("/console/session", { method: "DELETE" }),
                enter: send("/console/session", { method: "POST", body: '{"key": "sp_x"}', mode: "no-cors" }),
              };
              const read = [];
              for (const [name, run] of Object.entries(tries)) {
                try {
                  const response = await run();
                  const text = await response.text();
                  if (response.status || text) read.push(`${name}: ${response.status} ${text}`);
                } catch {
                  // As it should be.
                }
              }
              navigator.sendBeacon(`${to}${all}/${id}/cancel`);
              return read;
            }""";

    /** Returns the kinds of elements that loaded a resource. */
    private static final String TRY_ELEMENTS = """
            async ([to, id]) => {
              const load = (name, path) => new Promise((done) => {
                const element = document.createElement(name);
                element.onload = () => done(`${name} ${path}`);
                element.onerror = () => done("");
                if (name === "link") { element.rel = "stylesheet"; element.href = to + path; } else element.src = to + \
            path;
                document.head.append(element);
              });
              const events = () => new Promise((done) => {
                const source = new EventSource(`${to}/api/v1/executions/${id}/events`, { withCredentials: true });
                source.onopen = () => done("events");
                source.onerror = () => { source.close(); done(""); };
              });
              const loaded = await Promise.all([load("script", "/api/v1/executions"), load("script", \
            `/api/v1/executions/${id}/artifacts?name=page.html`),
                load("script", "/console/session"), load("img", "/console/files/any/icon.svg"), load("link", \
            "/console/files/any/css/base.css"), events()]);
              return loaded.filter(Boolean);
            }""";

    private final SallyportServer server;
    private final RestClient api;
    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final ForeignSiteServer foreignSite = new ForeignSiteServer();
    private final String mark = "m" + UUID.randomUUID().toString().replace("-", "");
    private BrowserSession browser;

    ConsoleCrossSiteIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeEach
    void openBrowser() {
        browser = BrowserSession.open(chromium, server.url()).logIn(server.adminKey());
    }

    @AfterEach
    void closeBrowser() {
        browser.close();
    }

    @AfterAll
    void end() {
        chromium.close();
        foreignSite.close();
    }

    private Page page() {
        return browser.page();
    }

    /** Opens a page of the other site in a tab of the same browser. */
    private Page openForeignPage(String host) {
        Page other = page().context().newPage();
        other.navigate(foreignSite.urlFor(host));
        return other;
    }

    /** Submits an execution that runs until it is cancelled and that prints the mark. */
    private String submitRunning() {
        String id = api.submit(SubmissionBody.javascript("console.log('" + mark
                + "'); await artifacts.write('page.html', 'x', { contentType: 'text/html' }); for "
                + "(;;) await sleep(500)"));
        api.awaitOutput(id, mark);
        return id;
    }

    private void assertNothingChanged(String running) {
        assertThat(api.getExecution(running).path("state").asText()).isIn("RUNNING", "WAITING");
        assertThat(api.getExecution(running).path("cancelRequested").asBoolean())
                .isFalse();
        assertThat(api.get("/api/v1/executions?label=mark%3A" + mark)
                        .expectStatus(200)
                        .json()
                        .path("items"))
                .isEmpty();
        page().reload();
        assertThat(page().locator(".shell")).isVisible();
    }

    private List<String> postPaths(String id) {
        JsonNode paths = api.send(api.request("/openapi").header("Accept", "application/json"))
                .expectStatus(200)
                .json()
                .path("paths");
        List<String> doors = new ArrayList<>(List.of("/console/session", "/console/approval-link", "/mcp"));
        paths.fields().forEachRemaining(path -> {
            if (path.getValue().has("post")) {
                doors.add(path.getKey().replaceAll("\\{[^}]+}", id));
            }
        });
        assertThat(doors).hasSizeGreaterThan(30);
        return doors;
    }

    @ParameterizedTest
    @CsvSource({"localhost, 401", "127.0.0.1, 403"})
    void formOfAForeignPageHasNoEffect(String host, int refused) {
        String id = submitRunning();
        String asker = api.post("/api/v1/api-keys", "{\"name\": \"asks " + mark + "\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        String asks = api.withKey(asker)
                .submit(SubmissionBody.javascript(
                        "await demo.send_mail({ to: 'ada', subject: '" + mark + "', body: 'b' })"));
        String approval = Await.untilPresent(
                "it asks",
                TIMEOUT,
                () -> api.get("/api/v1/approvals?limit=100").json().path("items").findParents("execution").stream()
                        .filter(item -> item.path("execution").asText().equals(asks))
                        .map(item -> item.path("id").asText())
                        .findFirst());
        List<String> doors = postPaths(id);
        doors.add("/api/v1/approvals/" + approval + "/approve");
        doors.add("/api/v1/approvals/" + approval + "/deny");
        List<String> open = new ArrayList<>();
        Page other = openForeignPage(host);
        for (String door : doors) {
            other.navigate(foreignSite.urlFor(host));
            Response answer = other.waitForNavigation(
                    () -> other.evaluate(SUBMIT_FORM, List.of(server.url() + door, mark, "text/plain")));
            boolean right = door.startsWith("/api") ? answer.status() == refused : answer.status() >= 400;
            if (!right || answer.headerValue("Set-Cookie") != null) {
                open.add(door + " answers " + answer.status());
            }
        }
        assertThat(open).isEmpty();
        for (String type : List.of("application/x-www-form-urlencoded", "multipart/form-data")) {
            other.navigate(foreignSite.urlFor(host));
            Response answer = other.waitForNavigation(
                    () -> other.evaluate(SUBMIT_FORM, List.of(server.url() + RestClient.EXECUTIONS, mark, type)));
            assertThat(answer.status()).isEqualTo(refused);
        }
        assertThat(api.get("/api/v1/approvals/" + approval).json().path("state").asText())
                .isEqualTo("PENDING");
        assertNothingChanged(id);
        api.cancel(id);
        api.cancel(asks);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1"})
    void scriptOfAForeignPageReadsAndChangesNoData(String host) {
        String id = submitRunning();
        Page other = openForeignPage(host);
        assertThat((List<?>) other.evaluate(TRY_FETCHES, List.of(server.url().toString(), mark, id)))
                .isEmpty();
        assertThat((List<?>) other.evaluate(TRY_ELEMENTS, List.of(server.url().toString(), id)))
                .isEmpty();
        assertNothingChanged(id);
        api.cancel(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1"})
    void foreignPageCannotFrameTheConsoleOrTheApi(String host) {
        String id = submitRunning();
        Page other = openForeignPage(host);
        List<String> targets = List.of(
                server.url() + "/console",
                server.url() + "/console/executions/" + id,
                server.url() + "/console/approval",
                server.url() + RestClient.EXECUTIONS + "/" + id);
        List<String> all = new ArrayList<>(targets);
        // Control frames of other sites prove that the browser shows frames at all.
        List<String> controls =
                List.of(foreignSite.urlFor("localhost") + "framed", foreignSite.urlFor("127.0.0.1") + "framed");
        all.addAll(controls);
        other.evaluate("""
                (all) => Promise.all(all.map((address) => new Promise((done) => {
                  const frame = document.createElement("iframe");
                  frame.onload = done;
                  frame.src = address;
                  document.body.append(frame);
                })))""", all);
        Await.until("the others are shown", TIMEOUT, () -> {
            other.waitForTimeout(20);
            return other.frames().stream().map(Frame::url).toList().containsAll(controls);
        });
        assertThat(other.frames()).hasSize(1 + all.size());
        assertThat(other.frames().stream().map(Frame::url))
                .noneMatch(url -> url.startsWith(server.url().toString()));
        for (String address : targets) {
            RestResponse answer =
                    api.get(address.substring(server.url().toString().length()));
            assertThat(answer.header("Content-Security-Policy")).contains("frame-ancestors 'none'");
        }
        api.cancel(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1"})
    void foreignPageThatOpensTheConsoleCannotAccessIt(String host) {
        String id = submitRunning();
        Page other = openForeignPage(host);
        Page opened = other.waitForPopup(() -> other.evaluate(
                "(to) => { window.opened = open(to, 'console'); }", server.url() + "/console/executions/" + id));
        opened.setDefaultTimeout(TIMEOUT.toMillis());
        List<String> complaints = new CopyOnWriteArrayList<>();
        opened.onPageError(complaints::add);
        opened.onDialog(dialog -> {
            complaints.add(dialog.message());
            dialog.dismiss();
        });
        assertThat(opened.locator(".output").first()).containsText(mark);
        assertThat(opened.evaluate("() => opener === null && parent === window"))
                .isEqualTo(true);
        Object read = other.evaluate("""
                () => {
                  const read = [];
                  const tell = (name, look) => { try { const found = look(); if (found) read.push(name + ": " + \
                found); } catch { /* as it should be */ } };
                  tell("title", () => window.opened.document?.title);
                  tell("address", () => (window.opened.location?.href === "about:blank" ? "" : \
                window.opened.location?.href));
                  tell("frames", () => window.opened.length);
                  tell("open", () => !window.opened.closed);
                  for (const message of ["logOut", { type: "navigate", to: "javascript:alert(1)" }, { __proto__: { \
                key: 1 }, csrf: true }]) {
                    try { window.opened.postMessage(message, "*"); } catch { /* as it should be */ }
                  }
                  try { window.opened.location = "javascript:alert(1)"; } catch { /* as it should be */ }
                  return read;
                }""");
        assertThat((List<?>) read).isEmpty();
        assertThat(opened.url()).endsWith("/console/executions/" + id);
        assertThat(opened.locator(".output").first()).containsText(mark);
        assertThat(complaints).isEmpty();
        assertNothingChanged(id);
        api.cancel(id);
    }

    @Test
    void linkOfAForeignPageShowsItsTargetWithoutSideEffects() {
        String id = submitRunning();
        String hostile =
                URLEncoder.encode("\"><img src=x onerror=alert(1)><script>alert(2)</script>", StandardCharsets.UTF_8);
        String scheme = URLEncoder.encode("javascript:alert(3)", StandardCharsets.UTF_8);
        List<String> links = List.of(
                "/executions?q=" + hostile + "&label=" + hostile + "&tool=" + hostile,
                "/executions?state=" + hostile + "&since=" + scheme + "&at=" + hostile,
                "/executions/" + id + "?tab=" + hostile + "#" + scheme,
                "/executions/" + id + "?tab=diff&cancel=true&decision=approve",
                "/executions/" + id + "/rerun?from=" + hostile,
                "/executions/constructor?tab=__proto__",
                "/submit?code=alert(1)&run=true",
                "/approvals?id=" + hostile + "&state=" + hostile,
                "/approval#" + scheme,
                "/batches/__proto__",
                "/capabilities?q=" + hostile + "&broken=" + hostile,
                "/capabilities/toString?version=" + hostile,
                "/tools?backend=" + hostile + "&q=" + hostile,
                "/tool-graph?tool=" + hostile + "&limit=" + hostile,
                "/costs?by=" + hostile + "&since=" + hostile,
                "/tenants?tenant=" + hostile,
                "/callbacks?state=" + hostile,
                "/audit?object=" + hostile + "&by=" + hostile,
                "/schedules/new?returnTo=" + scheme,
                "/constructor?returnTo=//evil.example/" + hostile,
                "//evil.example/");
        Page other = openForeignPage("localhost");
        List<String> faults = new CopyOnWriteArrayList<>();
        other.onDialog(dialog -> {
            faults.add("a script has asked " + dialog.message());
            dialog.dismiss();
        });
        other.onPageError(faults::add);
        other.onConsoleMessage(message -> {
            if (message.text().contains("Content Security Policy")) {
                faults.add(message.text());
            }
        });
        for (String link : links) {
            other.navigate(foreignSite.urlFor("localhost"));
            Response answer = other.waitForNavigation(() -> other.evaluate(
                    "(to) => { const a = document.createElement('a'); a.href = to; document.body.append(a); "
                            + "setTimeout(() => a.click()); }",
                    server.url() + "/console" + link));
            assertThat(other.url()).startsWith(server.url() + "/console");
            if (!answer.ok()) {
                assertThat(answer.headerValue("Content-Type")).startsWith("application/problem+json");
                continue;
            }
            assertThat(other.locator("main h1, main .empty, main .note-bad").first())
                    .isVisible();
            assertThat(other.locator("main .loading")).hasCount(0);
            if (other.locator("main img[onerror], main script, main a[href^='javascript:']")
                            .count()
                    > 0) {
                faults.add(link + " has become elements");
            }
            faults.addAll(findOverflow(other, link));
        }
        assertThat(faults).isEmpty();
        assertNothingChanged(id);
        api.cancel(id);
    }

    private static List<String> findOverflow(Page page, String name) {
        int wider = ((Number) page.evaluate(
                        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .intValue();
        return wider > 0 ? List.of(name + " is " + wider + " pixels wider than the window") : List.of();
    }

    private List<Cookie> sessionCookies() {
        return page().context().cookies().stream()
                .filter(cookie -> cookie.name.equals(COOKIE))
                .toList();
    }

    @Test
    void scriptsCannotReadSessionCredentials() {
        List<Cookie> cookies = sessionCookies();
        assertThat(cookies).hasSize(1);
        assertThat(cookies.get(0).httpOnly).isTrue();
        assertThat(cookies.get(0).sameSite).isEqualTo(SameSiteAttribute.STRICT);
        assertThat(cookies.get(0).path).isEqualTo("/");
        assertThat(cookies.get(0).domain).isEqualTo(server.url().getHost());
        assertThat(cookies.get(0).value).doesNotContain(server.adminKey());
        assertThat(page().evaluate("() => document.cookie")).isEqualTo("");
        assertThat(page().evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
                        .toString())
                .doesNotContain(server.adminKey())
                .doesNotContain(cookies.get(0).value);
        assertThat(page().content()).doesNotContain(server.adminKey());
        browser.button("Log out").click();
        assertThat(page().getByLabel("API key")).isVisible();
        assertThat(sessionCookies()).isEmpty();
    }

    private String runToEnd() {
        return api.run(SubmissionBody.javascript("console.log('" + mark + "'); return '" + mark + "'"))
                .path("id")
                .asText();
    }

    @Test
    void backButtonAfterLogoutShowsNoData() {
        String id = runToEnd();
        browser.goTo("/executions/" + id);
        assertThat(page().locator(".output").first()).containsText(mark);
        page().getByText("Journal", new Page.GetByTextOptions().setExact(true)).click();
        assertThat(page().locator(".journal")).isVisible();
        browser.goTo("/executions");
        assertThat(page().locator("tr[data-id='" + id + "']")).isVisible();
        page().locator("tr[data-id='" + id + "'] a").first().click();
        assertThat(page().locator(".output").first()).containsText(mark);
        browser.button("Log out").click();
        assertThat(page().getByLabel("API key")).isVisible();
        for (int i = 0; i < 3; i++) {
            page().goBack();
            assertThat(page().getByLabel("API key")).isVisible();
            assertThat(page().locator(".shell")).hasCount(0);
            assertThat(page().content()).doesNotContain(mark);
        }
        page().goForward();
        assertThat(page().getByLabel("API key")).isVisible();
        assertThat(page().content()).doesNotContain(mark);
    }

    /**
     * Browsers keep whole pages in the back-forward cache and show them again unchanged. The test simulates this with
     * an event, because it cannot make a browser do so.
     */
    @Test
    void cachedPageShowsNoDataBeforeTheSessionIsChecked() {
        String shownAgain = """
                () => {
                  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
                  return getComputedStyle(document.getElementById("app")).display;
                }""";
        browser.goTo("/executions/" + runToEnd());
        Locator output = page().locator(".output").first();
        assertThat(output).containsText(mark);
        assertThat(page().evaluate(shownAgain)).isEqualTo("none");
        assertThat(output).isVisible();
        assertThat(output).containsText(mark);

        page().context().clearCookies();
        assertThat(page().evaluate(shownAgain)).isEqualTo("none");
        assertThat(page().getByLabel("API key")).isVisible();
        assertThat(page().content()).doesNotContain(mark);
    }

    @ParameterizedTest
    @CsvSource({"text/html, page.html", "image/svg+xml, ../../page.svg", "application/xhtml+xml, page.xhtml"})
    void artifactIsDownloadedAndNeverExecuted(String type, String name) {
        String xmlns = "xmlns=\\\"http://www.w3.org/" + (type.contains("svg") ? "2000/svg" : "1999/xhtml") + "\\\"";
        String root = type.contains("svg") ? "svg" : "html";
        String id = api.run(SubmissionBody.javascript("await artifacts.write('" + name + "', \"<" + root + " " + xmlns
                        + "><script>fetch('/api/v1/queue?ran=" + mark + "')</script></" + root
                        + ">\", { contentType: '" + type + "' });"))
                .path("id")
                .asText();
        String file =
                RestClient.EXECUTIONS + "/" + id + "/artifacts?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
        RestResponse answer = api.get(file).expectStatus(200);
        assertThat(answer.header("Content-Disposition")).startsWith("attachment;");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Content-Security-Policy")).contains("sandbox");

        List<String> ran = new CopyOnWriteArrayList<>();
        page().onRequest(request -> {
            if (request.url().contains("ran=" + mark)) {
                ran.add(request.url());
            }
        });
        browser.goTo("/executions/" + id + "?tab=files");
        Download kept =
                page().waitForDownload(() -> page().locator("td a").first().click());
        assertThat(kept.suggestedFilename())
                .endsWith(name.substring(name.lastIndexOf('/') + 1))
                .doesNotContain("/");
        Download typed =
                page().waitForDownload(() -> page().evaluate("(to) => { location.href = to; }", server.url() + file));
        assertThat(typed.suggestedFilename()).doesNotContain("/");
        assertThat(page().url()).contains("/console/executions/");
        assertThat(ran).isEmpty();

        // Even if a browser displayed the file, its script would not run, while it runs without the Content Security
        // Policy.
        Set<String> without = ConcurrentHashMap.newKeySet();
        without.add("content-disposition");
        page().route(url -> url.contains("/artifacts?name="), route -> serveWithoutHeaders(route, without));
        ConsoleMessage blocked = page().waitForConsoleMessage(
                        new Page.WaitForConsoleMessageOptions()
                                .setPredicate(message -> message.text().contains("Blocked script execution")),
                        () -> page().navigate(server.url() + file));
        assertThat(blocked.text()).contains("sandboxed");
        assertThat(ran).isEmpty();
        without.add("content-security-policy");
        page().navigate(server.url() + file);
        Await.until("the control runs", TIMEOUT, () -> {
            page().waitForTimeout(20);
            return !ran.isEmpty();
        });
        page().unrouteAll();
    }

    private static void serveWithoutHeaders(Route route, Set<String> without) {
        var answer = route.fetch();
        Map<String, String> headers = new HashMap<>(answer.headers());
        without.forEach(headers::remove);
        route.fulfill(new Route.FulfillOptions().setResponse(answer).setHeaders(headers));
    }
}
