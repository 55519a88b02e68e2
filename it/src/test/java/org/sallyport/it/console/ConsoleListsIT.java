package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.BoundingBox;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** Search and filters of the console's lists, and that rows do not move while a user works with them. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleListsIT {
    /** Records whether the first approve button was disabled when it appeared. */
    private static final String RECORD_FIRST_BUTTON_STATE = """
            new MutationObserver(() => {
              const button = document.querySelector(".decide .good");
              if (button && window.firstSeenDisabled === undefined) window.firstSeenDisabled = button.disabled;
            }).observe(document, { childList: true, subtree: true });
            """;

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server = ServerSetup.create("console-lists").start();
    private final RestClient api = server.api();
    private BrowserSession browser;

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
        server.close();
    }

    private Page page() {
        return browser.page();
    }

    private Locator rows() {
        return page().locator("tbody tr[data-id]");
    }

    private String createKey(String name, String role) {
        return api.post("/api/v1/api-keys", "{\"name\": \"" + name + "\", \"roles\": [\"" + role + "\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }

    private String submitAndAwaitApproval(String subject) {
        String id = api.submit(
                SubmissionBody.javascript("await demo.send_mail({ to: 'ada', subject: args, body: 'b' }); return 1")
                        .args('"' + subject + '"'));
        Await.until(
                "it waits",
                Duration.ofSeconds(90),
                () -> api.getExecution(id).path("state").asText().equals("WAITING"));
        return id;
    }

    @Test
    void searchRunsOnTheServiceAndIsKeptInTheUrl() {
        String word = "w" + UUID.randomUUID().toString().replace("-", "");
        String calls = api.run(
                        SubmissionBody.javascript("return demo.clock()").with("intent", "\"about " + word + "\""))
                .path("id")
                .asText();
        String labelled = api.run(SubmissionBody.javascript("return 1").label("team", word))
                .path("id")
                .asText();
        browser.goTo("/executions");
        page().getByPlaceholder("Search script").fill("ABOUT " + word);
        assertThat(rows()).hasCount(1);
        assertThat(rows()).hasAttribute("data-id", calls);
        page().waitForURL(Pattern.compile(".*q=ABOUT.*"));

        browser.goTo("/executions?label=team%3A" + word);
        assertThat(rows()).hasCount(1);
        assertThat(rows()).hasAttribute("data-id", labelled);
        page().getByLabel("Label").fill("");
        page().getByLabel("Tool called").fill("demo.clock");
        page().waitForURL(Pattern.compile(".*tool=demo.clock.*"));
        assertThat(page().locator("tr[data-id='" + calls + "']")).isVisible();
        assertThat(page().locator("tr[data-id='" + labelled + "']")).hasCount(0);
    }

    @Test
    void listIsBoundedAndPagesInBothDirections() {
        String items = IntStream.range(0, 620)
                .mapToObj(i -> "{\"args\": " + i + "}")
                .collect(Collectors.joining(", ", "[", "]"));
        String batch = api.post(
                        "/api/v1/batches",
                        "{\"items\": " + items
                                + ", \"defaults\": {\"code\": \"return args\", \"labels\": {\"many\": \"yes\"}}}")
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
        Await.until(
                "the batch has ended",
                Duration.ofSeconds(240),
                () -> api.get("/api/v1/batches/" + batch)
                        .json()
                        .path("finished")
                        .asBoolean());
        browser.goTo("/executions?label=many%3Ayes");
        assertThat(rows().first()).isVisible();
        String newest = rows().first().getAttribute("data-id");
        Locator older = browser.button("Older");
        Await.until("the end of this part of the list", Duration.ofSeconds(90), () -> {
            page().mouse().wheel(0, 3_000);
            page().waitForTimeout(50);
            return older.isVisible();
        });
        AtomicInteger bytes = new AtomicInteger();
        Set<Request> begun = new HashSet<>();
        page().onRequest(begun::add);
        page().onRequestFinished(request -> {
            if (begun.contains(request) && request.url().contains("/api/v1/executions")) {
                bytes.addAndGet(request.sizes().responseBodySize);
            }
        });
        page().waitForTimeout(4_500);
        page().waitForCondition(() -> bytes.get() > 0);
        assertThat(bytes.get())
                .as("what two looks fetch, not five hundred rows")
                .isBetween(1, 60_000);

        older.click();
        page().waitForURL(Pattern.compile(".*at=.*"));
        assertThat(rows().first()).isVisible();
        assertThat(rows().first()).not().hasAttribute("data-id", newest);
        browser.button("Newer").first().click();
        assertThat(rows().first()).hasAttribute("data-id", newest);
    }

    @Test
    void pendingApprovalKeepsItsPosition() {
        String first = "first " + UUID.randomUUID();
        submitAndAwaitApproval(first);
        try (BrowserSession approver =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Grace", "approver"))) {
            approver.page().addInitScript(RECORD_FIRST_BUTTON_STATE);
            approver.goTo("/approvals");
            Locator row = approver.page().locator("article", new Page.LocatorOptions().setHasText(first));
            Locator approve = row.getByText("Approve", new Locator.GetByTextOptions().setExact(true));
            assertThat(approve).isEnabled();
            assertThat(approver.page().evaluate("() => window.firstSeenDisabled"))
                    .isEqualTo(true);
            BoundingBox before = row.boundingBox();

            String second = "second " + UUID.randomUUID();
            submitAndAwaitApproval(second);
            Locator news = approver.page().getByText("1 new below");
            assertThat(news).isVisible();
            assertThat(row.boundingBox().y).isEqualTo(before.y);
            assertThat(approver.page().locator("article", new Page.LocatorOptions().setHasText(second)))
                    .hasCount(0);
            news.click();
            assertThat(approver.page().locator("article").last()).containsText(second);
            assertThat(row.boundingBox().y).isEqualTo(before.y);
            approve.click();
            assertThat(row.locator(".badge")).hasText("approved");
            assertThat(approver.page().locator("article").last()).containsText(second);
            assertThat(approver.browserErrors()).isEmpty();
        }
    }

    @Test
    void capabilityIsShownRunAndDeprecated() {
        String name = "fees.n" + UUID.randomUUID().toString().substring(0, 8);
        for (String version : List.of("1.0.0", "1.1.0")) {
            api.send(api.request("/api/v1/capabilities")
                            .header("Content-Type", "application/json")
                            .POST(RestClient.body("{\"name\": \"" + name + "\", \"version\": \"" + version
                                    + "\", \"description\": \"Adds a fee.\", \"code\": \"return args.price + 1\","
                                    + " \"inputSchema\": {\"type\": \"object\", \"required\": [\"price\"],"
                                    + " \"properties\": {\"price\": {\"type\": \"number\"}}}}")))
                    .expectStatus(201);
        }
        browser.goTo("/capabilities?q=" + name);
        page().locator(".cards a").first().click();
        assertThat(page().locator(".code")).containsText("args.price + 1");
        assertThat(page().locator(".version-chips")).containsText("1.1.0 stable");
        page().locator(".version-chips button").last().click();
        page().waitForURL(Pattern.compile(".*version=1.0.0.*"));
        assertThat(browser.heading("Version 1.0.0")).isVisible();
        browser.button("Deprecate…").click();
        page().getByLabel("Reason").fill("use 1.1.0");
        browser.button("Deprecate").click();
        assertThat(page().locator(".note-warn")).containsText("use 1.1.0");
        page().locator(".version-chips button").first().click();
        assertThat(browser.heading("Version 1.1.0")).isVisible();
        browser.fillEditor("Input as JSON", "{\"price\": 41}");
        browser.button("Run this version").click();
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(page().locator("main")).containsText("42");
    }

    @Test
    void brokenCapabilityIsMarked() {
        String name = "tax.n" + UUID.randomUUID().toString().substring(0, 8);
        publish(name + ".inner", "demo.add");
        publish(name + ".outer", "capabilities." + name + ".inner");
        api.post("/api/v1/capabilities/" + name + ".inner/versions/1.0.0/deprecate", "{}")
                .expectStatus(200);
        browser.goTo("/capabilities?q=" + name);
        assertThat(page().locator(".cards a")).hasCount(2);
        browser.button("Broken only").click();
        assertThat(page().locator(".cards > li")).hasCount(1);
        assertThat(page().locator(".cards")).containsText("1.0.0 is broken");
        page().locator(".cards a").first().click();
        assertThat(page().locator(".note-warn")).containsText(name + ".inner: the tool no longer exists");
    }

    private void publish(String name, String tool) {
        api.post(
                        "/api/v1/capabilities",
                        "{\"name\": \"" + name + "\", \"version\": \"1.0.0\", \"code\": \"return 1\", \"tools\": [\""
                                + tool + "\"]}")
                .expectStatus(201);
    }

    @Test
    void scriptTestsRunOnTheSubmitPage() {
        browser.goTo("/submit");
        browser.fillEditor("Script", "export default async ({ price }) => price + 1;");
        browser.fillEditor(
                "Tests",
                "test('adds', async () => assert.is(await main({ price: 2 }), 3));\n"
                        + "test('is wrong', async () => assert.is(await main({ price: 2 }), 4));");
        browser.button("Run the tests").click();
        Locator report = page().locator(".test-report");
        assertThat(report).containsText("1 of 2 passed");
        assertThat(report.locator(".test-line").first()).containsText("passed");
        assertThat(report.locator(".test-line").last()).containsText("is wrong");
    }

    @Test
    void auditLogShowsActorsAndActions() {
        String keyId = api.post("/api/v1/api-keys", "{\"name\": \"x\", \"roles\": [\"auditor\"]}")
                .expectStatus(201)
                .json()
                .path("id")
                .asText();
        browser.goTo("/audit");
        assertThat(browser.heading("Audit log")).isVisible();
        page().getByLabel("Target").fill(keyId);
        page().waitForURL(Pattern.compile(".*object=.*"));
        assertThat(rows()).hasCount(1);
        assertThat(rows()).containsText("api-key.create");
        assertThat(rows()).containsText("done");
        try (BrowserSession submitter =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Ada", "submitter"))) {
            assertThat(submitter.page().getByText("Audit log")).hasCount(0);
        }
    }
}
