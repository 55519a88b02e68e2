package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.NodeJsPackages;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * Actions of operators and authors at the console: completing tool names, trying and publishing policy rules,
 * restarting a backend, creating an API key.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleActionsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String BACKEND = "/api/v1/backends/everything";

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server = start();
    private final RestClient api = server.api();
    private BrowserSession browser;

    /** Starts a server whose database the test can also open. */
    private static SallyportServer start() {
        ServerSetup fresh = ServerSetup.create("console-deeds");
        return fresh.with("sallyport.db.url", ApiKeyInserter.sharedDatabaseUrl(fresh.dataDirectory()))
                .with("h2.bindAddress", "127.0.0.1")
                .start();
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
        server.close();
    }

    private Page page() {
        return browser.page();
    }

    /**
     * Opens the submit page and waits for the tool catalog, because the editor completes nothing before it has the
     * catalog.
     */
    private void openSubmitPage() {
        page().waitForResponse(answer -> answer.url().endsWith("/api/v1/tools"), () -> browser.goTo("/submit"));
    }

    @Test
    void namesOfToolsAreCompletedFromTheCatalog() {
        openSubmitPage();
        browser.fillEditor("Script", "return await demo.ad");
        page().keyboard().press("Control+Space");
        assertThat(page().locator(".CodeMirror-hints li")).hasCount(1);
        assertThat(page().locator(".CodeMirror-hints li").first()).containsText("demo.add");
        page().keyboard().press("Enter");
        assertThat(page().locator("[data-editor='Script'] .CodeMirror-code")).containsText("demo.add({ a, b })");

        browser.fillEditor("Script", "return await everywhere");
        page().keyboard().press("Control+Space");
        assertThat(page().locator(".CodeMirror-hints li")).hasCount(0);
    }

    /** Types faster than the browser draws the page: no input may be reverted, and the page must stay responsive. */
    @Test
    void fastTypingLosesNoInput() {
        openSubmitPage();
        browser.fillEditor("Script", "//");
        page().evaluate("""
                async () => {
                  const editor = document.querySelector("[data-editor='Script'] .CodeMirror").CodeMirror;
                  for (let round = 0; round < 50; round++) {
                    for (const letter of "abc") {
                      editor.replaceSelection(letter, "end", "+input");
                      await new Promise((next) => setTimeout(next));
                    }
                  }
                }""");
        assertThat(page().locator("[data-editor='Script'] .CodeMirror-code")).containsText("//" + "abc".repeat(50));
    }

    @Test
    void toolsAreCompletedAndShownWithTheirScriptNames() {
        api.post("/api/v1/backends", """
                {"name": "shop", "kind": "http", "settings": {"baseUrl": "https://shop.example", "operations": {
                  "get-sum": {"description": "What it comes to.", "method": "GET", "path": "/sum"}}}}
                """).expectStatus(201);
        Await.until(
                "its tool is there",
                TIMEOUT,
                () -> api.get("/api/v1/tools?backend=shop").json().path("items").size() == 1);
        assertThat(api.get("/api/v1/tools?backend=shop")
                        .json()
                        .at("/items/0/call")
                        .asText())
                .isEqualTo("shop.get_sum");
        Locator script = page().locator("[data-editor='Script'] .CodeMirror-code");
        openSubmitPage();
        for (String typed : List.of("return await shop.ge", "return await tools.shop.get-s")) {
            browser.fillEditor("Script", typed);
            page().keyboard().press("Control+Space");
            assertThat(page().locator(".CodeMirror-hints li")).hasCount(1);
            page().keyboard().press("Enter");
            assertThat(script).containsText("shop.get_sum(");
        }
        assertThat(script).containsText("return await tools.shop.get_sum(");

        browser.goTo("/tools?backend=shop");
        page().locator(".tool summary").click();
        assertThat(page().locator(".call-form")).containsText("await shop.get_sum(");
        api.send(api.request("/api/v1/backends/shop").DELETE()).expectStatus(204);
    }

    @Test
    void rulesAreExplainedTriedOnPastExecutionsAndPutInForce() {
        String id = api.run(SubmissionBody.javascript("return demo.echo('judged')"))
                .path("id")
                .asText();
        browser.goTo("/policies");
        browser.fillEditor("Rules", "{\"rules\": [");
        assertThat(browser.button("Try on the newest executions")).isDisabled();
        browser.fillEditor(
                "Rules",
                "{\"rules\": [{\"name\": \"no-echo\", \"tools\": [\"demo.echo\"], \"decision\": \"deny\", \"reason\": "
                        + "\"not now\"}], \"otherwise\": \"standard\"}");
        browser.button("Try on the newest executions").click();
        Locator trial = page().locator(".said tr", new Page.LocatorOptions().setHasText("no-echo"));
        assertThat(trial.first()).containsText("allow");
        assertThat(trial.first()).containsText("deny");
        assertThat(trial.getByRole(AriaRole.LINK).first()).hasAttribute("href", "/console/executions/" + id);

        page().locator("main label.field select").first().selectOption("demo.echo");
        browser.fillEditor("Arguments to explain", "{\"value\": 1}");
        browser.button("Explain with these rules").click();
        assertThat(page().locator(".said", new Page.LocatorOptions().setHasText("not now")))
                .containsText("no-echo");
        assertThat(api.run(SubmissionBody.javascript("return demo.echo('still')"))
                        .path("state")
                        .asText())
                .as("what was tried is not in force")
                .isEqualTo("COMPLETED");

        page().getByLabel("Comment").fill("for a moment");
        browser.button("Put in force").click();
        assertThat(browser.heading("Rules, version 1")).isVisible();
        assertThat(page().locator(".versions")).containsText("for a moment");
        JsonNode refused = api.run(SubmissionBody.javascript("return demo.echo('x').catch((e) => e.code)"));
        assertThat(refused.path("result").asText()).isEqualTo("denied");
        api.post("/api/v1/policies", "{\"document\": {\"rules\": []}, \"comment\": \"over\"}")
                .expectStatus(201);
    }

    @Test
    void backendIsShownAndRestarted() {
        api.post(
                        "/api/v1/backends",
                        "{\"name\": \"everything\", \"kind\": \"mcp-stdio\", \"settings\": "
                                + NodeJsPackages.backendSettings("everything", List.of("stdio"), "") + "}")
                .expectStatus(201);
        Await.until(
                "it is ready",
                TIMEOUT,
                () -> api.get(BACKEND).json().at("/status/state").asText().equals("ready"));
        String since = api.get(BACKEND).json().at("/status/since").asText();

        browser.goTo("/backends");
        Locator panel = page().locator(".panel", new Page.LocatorOptions().setHasText("everything"));
        assertThat(panel).containsText("ready");
        panel.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Restart"))
                .click();
        Await.until("it was connected anew", TIMEOUT, () -> {
            JsonNode status = api.get(BACKEND).json().path("status");
            return status.path("state").asText().equals("ready")
                    && !status.path("since").asText().equals(since);
        });
        assertThat(panel).containsText("ready");
        assertThat(panel.getByRole(AriaRole.ALERT)).hasCount(0);
    }

    @Test
    void keyIsShownOnceAndRevoked() {
        browser.goTo("/keys");
        browser.button("New key").click();
        page().getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("the night's batch");
        page().getByLabel("Granted tools").fill("demo.add\ndemo.clock");
        browser.button("Create key").click();
        String key = page().getByLabel("New API key", new Page.GetByLabelOptions().setExact(true))
                .last()
                .innerText()
                .strip();
        browser.button("Done, I saved it").click();
        RestClient theirs = api.withKey(key);
        theirs.get(RestClient.EXECUTIONS).expectStatus(200);
        assertThat(theirs.get("/api/v1/api-keys").problemType()).isEqualTo("forbidden");
        assertThat(page().content()).doesNotContain(key);

        Locator row = page().locator("tr", new Page.LocatorOptions().setHasText("the night's batch"));
        assertThat(row.locator("li")).hasText(new String[] {"demo.add", "demo.clock"});
        SubmissionBody echo = SubmissionBody.javascript("return demo.echo('x').catch((e) => e.code)");
        assertThat(theirs.run(echo).path("result").asText()).isEqualTo("not-granted");
        row.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Grants"))
                .click();
        Locator grants = page().getByLabel("Granted tools");
        assertThat(grants).hasValue("demo.add\ndemo.clock");
        grants.fill("demo.e*");
        browser.button("Grant these").click();
        assertThat(row.locator("li")).hasText(new String[] {"demo.e*"});
        assertThat(theirs.run(echo).path("result").asText()).isEqualTo("x");

        page().locator("tr", new Page.LocatorOptions().setHasText("the night's batch"))
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        browser.button("Delete the key").click();
        assertThat(page().locator("tr", new Page.LocatorOptions().setHasText("the night's batch")))
                .hasCount(0);
        assertThat(theirs.get(RestClient.EXECUTIONS).problemType()).isEqualTo("unauthorized");
    }

    @Test
    void startTimeDeadlineKeyAndRetriesAreSubmittedAndShown() {
        openSubmitPage();
        browser.fillEditor("Script", "throw new Error('not yet');");
        page().getByLabel("Start after (s)").fill("1");
        page().getByLabel("Deadline").fill("2099-06-08T18:00");
        page().getByLabel("Concurrency key").fill("console-printer");
        page().getByLabel("Attempts").fill("3");
        page().getByLabel("Delay before the second (s)").fill("3600");
        page().getByLabel("Retry after these errors").fill("script-error timeout");
        page().getByLabel("also after calls that may have changed something").check();
        page().locator("button.primary").first().click();

        page().waitForURL(url -> url.contains("/console/executions/"));
        assertThat(page().locator("h1 .badge")).hasText("failed");
        String id = page().url().replaceAll(".*/executions/([0-9a-f-]+).*", "$1");
        JsonNode failed = api.getExecution(id);
        assertThat(failed.path("concurrencyKey").asText()).isEqualTo("console-printer");
        assertThat(failed.path("deadline").asText()).startsWith("2099-06-0");
        assertThat(failed.has("notBefore")).isTrue();
        assertThat(failed.at("/retry/delayMillis").asLong()).isEqualTo(3_600_000);
        assertThat(failed.at("/retry/afterWrites").asBoolean()).isTrue();
        assertThat(failed.at("/retry/errorCodes").toString()).isEqualTo("[\"script-error\",\"timeout\"]");
        Locator note = page().locator(".note", new Page.LocatorOptions().setHasText("Attempt 1 of 3"));
        assertThat(note).containsText("the next attempt is");

        note.getByRole(AriaRole.LINK).first().click();
        assertThat(page().locator("h1 .badge")).hasText("queued");
        Locator why = page().locator(".note", new Page.LocatorOptions().setHasText("Why does it wait?"));
        assertThat(why).containsText("This is attempt 2 of 3. The attempt before failed with");
        assertThat(why).containsText("script-error");
        page().getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Details"))
                .click();
        assertThat(page().locator("main")).containsText("console-printer");
        assertThat(page().locator("main")).containsText("at most 3 attempts");
        api.cancel(id).expectStatus(202);
    }

    @Test
    void dryRunStartsAtOnceAndTheDraftKeepsNoTimes() {
        openSubmitPage();
        browser.fillEditor("Script", "return 1;");
        page().getByLabel("Start after (s)").fill("3600");
        page().getByLabel("Deadline").fill("2099-06-08T18:00");
        assertThat(browser.button("Dry run")).isEnabled();
        browser.button("Dry run").click();

        page().waitForURL(url -> url.contains("/console/executions/"));
        assertThat(page().locator("h1 .badge")).hasText("completed");
        JsonNode planned = api.getExecution(page().url().replaceAll(".*/executions/([0-9a-f-]+).*", "$1"));
        assertThat(planned.has("notBefore")).isFalse();
        assertThat(planned.has("deadline")).isFalse();
        openSubmitPage();
        assertThat(page().getByLabel("Start after (s)")).hasValue("3600");
        assertThat(page().getByLabel("Deadline")).hasValue("");
        page().getByLabel("Start after (s)").fill("");
    }

    @Test
    void startOptionsThatExcludeEachOtherAreRefusedInTheForm() {
        openSubmitPage();
        browser.fillEditor("Script", "return 1;");
        page().getByLabel("Start after (s)").fill("5");
        page().getByLabel("Not before").fill("2099-06-08T18:00");
        assertThat(page().locator(".verdict")).containsText("Enter either a start time or a delay.");
        assertThat(browser.button("Dry run")).isDisabled();
    }

    /** Another test shows that a broker creates dead letters. This test covers the console page and the replay. */
    @Test
    void deadLetterIsRedelivered() throws SQLException {
        String id = api.run(SubmissionBody.javascript("return 'once more'"))
                .path("id")
                .asText();
        try (Connection connection = DriverManager.getConnection(
                        ApiKeyInserter.sharedDatabaseUrl(server.dataDirectory()) + ";IFEXISTS=TRUE", "sallyport", "");
                PreparedStatement failed = connection.prepareStatement(
                        "update execution set state = 'FAILED', error_code = 'dead-letter' where id = ?");
                PreparedStatement letter = connection.prepareStatement(
                        "insert into dead_letter (execution_id, tenant) values (?, 'default')")) {
            failed.setObject(1, UUID.fromString(id));
            letter.setObject(1, UUID.fromString(id));
            assertThat(failed.executeUpdate()).isOne();
            assertThat(letter.executeUpdate()).isOne();
        }

        browser.goTo("/dead-letters");
        Locator row = page().locator("tr", new Page.LocatorOptions().setHasText("once more"));
        assertThat(row.getByRole(AriaRole.LINK).first()).hasAttribute("href", "/console/executions/" + id);
        browser.button("Run again").click();

        page().waitForURL(url -> url.contains("/console/executions/") && !url.endsWith(id));
        assertThat(page().locator("h1 .badge")).hasText("completed");
        browser.goTo("/dead-letters");
        assertThat(row.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("rerun")))
                .isVisible();
        assertThat(browser.button("Run again")).hasCount(0);
    }

    @Test
    void savedScriptIsFoundRunAndDeleted() {
        String code = "// Doubles a number.\nreturn args.n * 2";
        JsonNode saved =
                api.run(SubmissionBody.javascript(code).args("{\"n\": 1}").with("cacheAs", "\"console.double\""));
        assertThat(saved.path("cachedName").asText()).isEqualTo("console.double");

        browser.goTo("/executions/" + saved.path("id").asText() + "?tab=details");
        assertThat(page().locator("main"))
                .containsText("Submitted by" + saved.required("submittedBy").asText());
        page().getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("console.double"))
                .click();
        assertThat(page().locator("h1")).hasText("console.double");
        browser.goTo("/scripts?q=doubles");
        Locator row = page().locator("tr[data-name='console.double']");
        assertThat(row).containsText("Doubles a number.");
        row.getByRole(AriaRole.LINK).first().click();
        assertThat(page().locator(".code")).containsText("return args.n * 2");

        browser.fillEditor("Input as JSON", "{\"n\": 21}");
        browser.button("Run this script").click();
        page().waitForURL(url -> url.contains("/console/executions/"));
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(page().locator("main")).containsText("42");

        browser.goTo("/scripts/console.double");
        browser.button("Delete…").click();
        browser.button("Cancel").click();
        api.get("/api/v1/scripts/console.double").expectStatus(200);
        browser.button("Delete…").click();
        browser.button("Delete the script").click();
        page().waitForURL(url -> url.endsWith("/console/scripts"));
        api.get("/api/v1/scripts/console.double").expectStatus(404);
    }
}
