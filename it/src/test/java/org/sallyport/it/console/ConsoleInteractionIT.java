package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.it.harness.FaultInjectingProxy;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Everyday interactions of the console: denying an approval, lists that update live, bars of concurrent calls, and
 * keyboard shortcuts.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleInteractionIT {
    private final SallyportServer server;
    private final RestClient api;
    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final String mark = "m" + UUID.randomUUID().toString().replace("-", "");
    private BrowserSession browser;

    ConsoleInteractionIT(SallyportServer server) {
        this.server = server;
        this.api = server.api();
    }

    @BeforeEach
    void openBrowser() {
        browser = BrowserSession.open(chromium, server.url()).logIn(server.adminKey());
    }

    @AfterEach
    void assertNoBrowserErrors() {
        List<String> complaints = browser.browserErrors();
        browser.close();
        assertThat(complaints).isEmpty();
    }

    @AfterAll
    void end() {
        chromium.close();
    }

    private Page page() {
        return browser.page();
    }

    private JsonNode createKey(String role) {
        return api.post("/api/v1/api-keys", "{\"name\": \"" + role + " " + mark + "\", \"roles\": [\"" + role + "\"]}")
                .expectStatus(201)
                .json();
    }

    /** A browser opens at most six connections to a server, for all its pages together. */
    @Test
    void seventhPageLoadsWhileSixFollowRunningExecutions() {
        List<String> running = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) {
                String id =
                        api.submit(SubmissionBody.javascript("for (;;) await demo.slow({ millis: 1000, value: 1 })"));
                running.add(id);
                Page page = page().context().newPage();
                page.navigate(server.url() + "/console/executions/" + id);
                assertThat(page.locator("h1 .badge")).isVisible();
            }
            browser.goTo("/executions");
            assertThat(browser.heading("Executions")).isVisible();
            assertThat(page().locator("main tr[data-id='" + running.get(5) + "']"))
                    .isVisible();
        } finally {
            running.forEach(api::cancel);
        }
        // Pages without an event stream show the end, too.
        page().context().pages().stream()
                .skip(1)
                .forEach(page -> assertThat(page.locator("h1 .badge")).hasText("cancelled"));
    }

    @Test
    void hiddenPageClosesItsStreamAndResumesWhenShown() {
        String id = api.submit(
                SubmissionBody.javascript("for (let i = 0; ; i++) { console.log('line ' + i); await sleep(200); }"));
        List<String> streams = new CopyOnWriteArrayList<>();
        List<String> ended = new CopyOnWriteArrayList<>();
        page().onRequest(request -> Optional.of(request.url())
                .filter(url -> url.contains("/events"))
                .ifPresent(streams::add));
        page().onRequestFailed(request -> Optional.of(request.url())
                .filter(url -> url.contains("/events"))
                .ifPresent(ended::add));
        page().onRequestFinished(request -> Optional.of(request.url())
                .filter(url -> url.contains("/events"))
                .ifPresent(ended::add));
        browser.goTo("/executions/" + id);
        Locator output = page().getByLabel("Output", new Page.GetByLabelOptions().setExact(true));
        assertThat(output).containsText("line 3\n");
        assertThat(page().locator(".live")).isVisible();
        assertThat(streams).hasSize(1);

        setPageVisible(false);
        page().waitForCondition(() -> ended.size() == 1);
        assertThat(page().locator(".live")).hasCount(0);
        setPageVisible(true);
        assertThat(page().locator(".live")).isVisible();
        assertThat(streams).hasSize(2);
        assertThat(streams.get(1)).containsPattern("outputOffset=[1-9]");
        String last = "line " + (output.innerText().lines().count() + 5);
        assertThat(output).containsText(last + "\n");
        api.cancel(id);
        assertThat(page().locator("h1 .badge")).hasText("cancelled");
        assertThat(output.innerText().strip()).isEqualTo(awaitFinalOutput(id));
    }

    /** Simulates that the page is in a foreground or a background tab. */
    private void setPageVisible(boolean now) {
        page().evaluate(
                        "seen => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => !seen });"
                                + " document.dispatchEvent(new Event('visibilitychange')); }",
                        now);
    }

    @Test
    void livePageShowsEachLineOnceAlthoughTheConnectionBreaksTwice() {
        String id = api.submit(
                SubmissionBody.javascript("for (let i = 0; ; i++) { console.log('line ' + i); await sleep(100); }"));
        try (FaultInjectingProxy wire = new FaultInjectingProxy(server.url().getPort());
                BrowserSession far =
                        BrowserSession.open(chromium, URI.create(wire.url())).logIn(server.adminKey())) {
            far.goTo("/executions/" + id);
            Locator output = far.page().getByLabel("Output", new Page.GetByLabelOptions().setExact(true));
            for (int i = 0; i < 2; i++) {
                assertThat(far.page().locator(".live")).isVisible();
                assertThat(wire.closeConnections()).isPositive();
                assertThat(output)
                        .containsText("line " + (output.innerText().lines().count() + 10) + "\n");
            }
            api.cancel(id);
            assertThat(far.page().locator("h1 .badge")).hasText("cancelled");
            assertThat(output.innerText().strip()).isEqualTo(awaitFinalOutput(id));
        }
    }

    private String awaitFinalOutput(String id) {
        return api.awaitEnd(id).path("output").asText().strip();
    }

    @Test
    void malformedUrlShowsPageNotFound() {
        page().evaluate("() => { history.pushState({}, '', '/console/executions/%ff');"
                + " dispatchEvent(new PopStateEvent('popstate')); }");
        assertThat(page().locator("main")).containsText("Page not found");
    }

    /** The location changes as soon as the page is in the document, before the browser shows it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/executions"})
    void locationThatChangesDuringTheFirstRenderingIsFollowed(String path) {
        try (Page early = page().context().newPage()) {
            early.addInitScript("""
                    new MutationObserver((changes, observer) => {
                      if (!document.getElementById("main")) return;
                      observer.disconnect();
                      history.pushState({}, "", "/console/executions/%ff");
                      dispatchEvent(new PopStateEvent("popstate"));
                    }).observe(document, { childList: true, subtree: true });
                    """);
            // The first request after the first rendering.
            early.waitForResponse(
                    response -> response.url().contains("/approvals"),
                    () -> early.navigate(server.url() + "/console" + path));
            assertThat(early.locator("main")).containsText("Page not found");
            assertThat(early).hasURL(server.url() + "/console/executions/%ff");
        }
    }

    @Test
    void approverSeesTheRequesterAndDenies() {
        JsonNode asker = createKey("submitter");
        RestClient theirs = api.withKey(asker.path("key").asText());
        String id = theirs.submit(SubmissionBody.javascript(
                        "return demo.send_mail({ to: 'ada', subject: args, body: 'b' }).catch((e) => e.code)")
                .with("intent", "\"reminds those who owe\"")
                .args("\"" + mark + "\""));
        try (BrowserSession approver = BrowserSession.open(chromium, server.url())
                .logIn(createKey("approver").path("key").asText())) {
            approver.goTo("/approvals");
            Locator question = approver.page().locator("article", new Page.LocatorOptions().setHasText(mark));
            assertThat(question).containsText(asker.path("id").asText());
            assertThat(question).containsText("submitter " + mark);
            assertThat(question).containsText("reminds those who owe");
            assertThat(question.locator(".approval-why")).not().hasText("");
            question.getByLabel("Note").fill("not today");
            question.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Deny"))
                    .click();
            assertThat(question.locator(".badge")).hasText("denied");
            assertThat(question).containsText("not today");
            assertThat(approver.browserErrors()).isEmpty();
        }
        assertThat(theirs.awaitEnd(id).path("result").asText()).isEqualTo("denied");
    }

    @Test
    void listFollowsTheStateOfAnExecution() {
        String id = api.submit(
                SubmissionBody.javascript("for (;;) await sleep(300)").label("mark", mark));
        browser.goTo("/executions?label=mark%3A" + mark);
        Locator badge = page().locator("tr[data-id='" + id + "'] .badge");
        assertThat(badge).isVisible();
        api.cancel(id);
        assertThat(badge).hasText("cancelled");
    }

    @Test
    void concurrentCallsAreDrawnOnSeparateRows() {
        String id = api.run(SubmissionBody.javascript(
                        "return Promise.all([600, 600, 600].map((millis) => demo.slow({ millis, value: 1 })))"))
                .path("id")
                .asText();
        browser.goTo("/executions/" + id + "?tab=trace");
        Locator bars = page().locator(".call .bar");
        assertThat(bars).hasCount(3);
        BoundingBox first = bars.nth(0).boundingBox();
        for (int i = 1; i < 3; i++) {
            BoundingBox other = bars.nth(i).boundingBox();
            assertThat(other.x).isLessThan(first.x + first.width);
            assertThat(first.x).isLessThan(other.x + other.width);
            assertThat(other.y).isGreaterThan(first.y);
        }
    }

    @Test
    void rerunTakesEarlierCallsFromTheRecording() {
        String id = api.run(SubmissionBody.javascript(
                        "const a = await demo.clock();\nconst b = await demo.echo('x');\nreturn demo.echo([a, b])"))
                .path("id")
                .asText();
        browser.goTo("/executions/" + id + "/rerun");
        page().locator(".call-choices input").nth(1).check();
        assertThat(page().locator(".call-choices .call-recorded")).hasCount(1);
        page().locator("main header").getByRole(AriaRole.BUTTON).first().click();
        page().waitForURL(url -> url.contains("/executions/") && !url.contains(id));
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(page().locator(".call-row")).hasCount(3);
        assertThat(page().locator(".call-row").nth(0)).containsText("recorded");
        assertThat(page().locator(".call-row").nth(1)).not().containsText("recorded");
        assertThat(page().locator(".call-row").nth(2)).not().containsText("recorded");
    }

    @Test
    void chosenThemeIsKept() {
        Locator root = page().locator("html");
        browser.button("Theme: system").click();
        assertThat(root).hasAttribute("data-theme", "light");
        browser.button("Theme: light").click();
        assertThat(root).hasAttribute("data-theme", "dark");
        page().reload();
        assertThat(browser.button("Theme: dark")).isVisible();
        assertThat(root).hasAttribute("data-theme", "dark");
    }

    @Test
    void narrowWindowMenuOpensAndClosesOnNavigation() {
        page().setViewportSize(400, 800);
        Locator menu = browser.button("Menu");
        assertThat(menu).hasAttribute("aria-expanded", "false");
        menu.click();
        assertThat(menu).hasAttribute("aria-expanded", "true");
        page().locator("nav[aria-label='Pages']")
                .getByText("Batches", new Locator.GetByTextOptions().setExact(true))
                .click();
        assertThat(browser.heading("Batches")).isVisible();
        assertThat(menu).hasAttribute("aria-expanded", "false");
    }

    @Test
    void timelineMatchesTheTrace() {
        String id = api.run(SubmissionBody.javascript("await sleep(3000); return demo.clock()"))
                .path("id")
                .asText();
        List<String> words = new ArrayList<>(List.of("queued"));
        api.getTrace(id).stream()
                .filter(event -> event.path("type").asText().equals("state"))
                .map(event -> event.path("state").asText().toLowerCase(Locale.ROOT))
                .forEach(words::add);
        browser.goTo("/executions/" + id);
        assertThat(page().locator(".steps .badge")).hasText(words.toArray(String[]::new));
        assertThat(page().locator(".timeline-bar"))
                .hasAttribute("aria-label", Pattern.compile("queued .*, running .*completed.*"));
        assertThat(page().locator(".timeline-bar rect").count()).isGreaterThan(1);
    }

    @Test
    void journalRowsMatchTheService() {
        String id = api.run(SubmissionBody.javascript(
                                "await Promise.all([demo.clock(), demo.echo(args)]); return demo.fail({ message: 'm',"
                                        + " code: 'c' }).catch((e) => e.code)")
                        .args("\"" + mark + "\""))
                .path("id")
                .asText();
        JsonNode events = api.get("/api/v1/executions/" + id + "/journal?after=0")
                .expectStatus(200)
                .json()
                .path("events");
        browser.goTo("/executions/" + id + "?tab=journal");
        assertThat(page().locator(".journal-type"))
                .hasText(events.findValuesAsText("type").toArray(String[]::new));
        assertThat(page().locator(".journal-seq"))
                .hasText(events.findValuesAsText("seq").toArray(String[]::new));
        assertThat(page().locator(".journal")).containsText(mark);
    }

    @Test
    void queueChartsUpdateLive() {
        browser.goTo("/queue");
        Locator running = page().locator(".chart", new Page.LocatorOptions().setHasText("Running"));
        Locator line = running.locator(".chart-line");
        assertThat(line).hasAttribute("d", Pattern.compile("M.*L.*"));
        String before = line.getAttribute("d");
        String id = api.submit(SubmissionBody.javascript("for (;;) await demo.slow({ millis: 1000, value: 1 })"));
        try {
            api.awaitRunning(id);
            assertThat(running.locator(".chart-value")).hasText(Pattern.compile("[1-9][0-9]*"));
            assertThat(line).not().hasAttribute("d", before);
            assertThat(running.locator("svg")).hasAttribute("aria-label", Pattern.compile("Running: now [1-9].*"));
            assertThat(page().locator(".chart", new Page.LocatorOptions().setHasText("Accepted"))
                            .locator(".chart-value"))
                    .containsText(Pattern.compile("[1-9]"));
        } finally {
            api.cancel(id);
        }
    }

    @Test
    void backendPageShowsCallLatency() {
        page().route(
                        Pattern.compile(".*/api/v1/backends$"),
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setContentType("application/json")
                                .setBody(route.fetch()
                                        .text()
                                        .replaceFirst(
                                                "\"latency\":\\{[^}]*}",
                                                "\"latency\":{\"calls\":7,\"p50Millis\":4.4,"
                                                        + "\"p95Millis\":18,\"p99Millis\":2061}"))));
        browser.goTo("/backends");
        Locator took = page().locator(".facts div", new Page.LocatorOptions().setHasText("Latency"));
        assertThat(took).containsText("p50 4 ms · p95 18 ms · p99 2.06 s");
    }

    @Test
    void syntaxErrorLineIsMarkedInTheEditor() {
        browser.goTo("/submit");
        browser.fillEditor("Script", "const a = 1;\nreturn a +;\n");
        Locator wrong = page().locator(
                        "[data-editor='Script'] .CodeMirror-code > div",
                        new Page.LocatorOptions().setHas(page().locator(".editor-bad-line")));
        assertThat(wrong).hasCount(1);
        assertThat(wrong).containsText("return a +;");
        browser.fillEditor("Script", "const a = 1;\nreturn a;\n");
        assertThat(wrong).hasCount(0);
    }

    @Test
    void escapeKeyLeavesTheEditor() {
        browser.goTo("/submit");
        page().locator("[data-editor='Script'] .CodeMirror").click();
        assertThat(page().locator("[data-editor='Script'] .CodeMirror-focused")).hasCount(1);
        page().keyboard().press("Escape");
        assertThat(page().locator("[data-editor='Script'] .CodeMirror-focused")).hasCount(0);
    }

    @Test
    void consoleCallsOnlyTheDescribedApi() {
        List<Pattern> described = new ArrayList<>();
        api.send(api.request("/openapi").header("Accept", "application/json"))
                .json()
                .path("paths")
                .fieldNames()
                .forEachRemaining(path -> described.add(Pattern.compile(path.replaceAll("\\{[^}]+}", "[^/]+"))));
        Set<String> asked = new ConcurrentSkipListSet<>();
        page().onRequest(request -> asked.add(URI.create(request.url()).getPath()));
        String id = api.run(SubmissionBody.javascript("return demo.clock()"))
                .path("id")
                .asText();
        for (String path : List.of(
                "/executions",
                "/executions/" + id,
                "/executions/" + id + "?tab=journal",
                "/executions/" + id + "?tab=files",
                "/executions/" + id + "/rerun",
                "/submit",
                "/batches",
                "/schedules",
                "/schedules/new",
                "/approvals",
                "/callbacks",
                "/scripts",
                "/capabilities",
                "/tools",
                "/tool-graph",
                "/backends",
                "/policies",
                "/secrets",
                "/variables",
                "/queue",
                "/dead-letters",
                "/costs",
                "/tenants",
                "/keys",
                "/audit")) {
            browser.goTo(path);
            assertThat(page().locator("main h1").first()).isVisible();
            assertThat(page().locator("main .loading")).hasCount(0);
        }
        assertThat(asked).hasSizeGreaterThan(20);
        assertThat(asked.stream()
                        .filter(path -> !path.startsWith("/console"))
                        .filter(path -> described.stream()
                                .noneMatch(form -> form.matcher(path).matches())))
                .isEmpty();
        assertThat(browser.foreignRequests()).isEmpty();
    }
}
