package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.JSHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;
import org.sallyport.it.harness.TestTenant;

/** Common actions of users at the console. */
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleIT {
    /** Scrolls the page and returns when the browser has drawn it. */
    private static final String SCROLL_AND_DRAW = """
            async (pixels) => {
              scrollBy(0, pixels);
              for (let frame = 0; frame < 3; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
            }
            """;

    private static final String BATCH_PAGE = ".*/batches/[0-9a-f-]{36}";
    /** Index of the column with the duration of an item, on the page of a batch. */
    private static final int DURATION_COLUMN = 4;

    private static final String HOSTILE_TEXT = "<img src=x onerror=alert(1)></textarea><script>alert(2)</script>";

    /**
     * Adds output of which one stream exceeds the characters that a page keeps, repeated output, and output that
     * changes the stream 5,000 times, and shows it. Returns the differences from the expected page.
     */
    private static final String SHOWS_LONG_OUTPUT = """
            async () => {
              const load = (path) => import(new URL(path, document.querySelector("script[type=module]").src).href);
              const { OutputCollector } = await load("lib/output-pieces.js");
              const { Output } = await load("components/output.js");
              const { h, render } = await load("vendor/preact.js");
              const wrong = [];
              const check = (name, actual, expected) => {
                if (actual !== expected) wrong.push(`${name}: ${actual}, not ${expected}`);
              };
              const out = (offset, text, sequence) => ({ stream: "output", offset, text, sequence });
              const err = (offset, text, sequence) => ({ stream: "error-output", offset, text, sequence });
              const textOf = ({ parts }) => parts.map(({ text }) => text).join("");

              const long = new OutputCollector();
              long.add(out(0, "a".repeat(900_000), 0));
              long.add(out(900_000, "b".repeat(600_000), 900_000));
              long.add(err(0, "end", 1_500_000));
              check("kept", long.length, 1_000_003);
              check("error output", textOf(long).slice(-4), "bend");
              check("truncated", long.truncated, true);
              check("offsets", JSON.stringify(long.offsets), '{"outputOffset":1500000,"errorOffset":3}');

              const mixed = new OutputCollector();
              mixed.add(err(0, "EE", 2));
              mixed.add(out(0, "oo", 0));
              mixed.add(out(0, "oo", 0));
              mixed.add(out(2, "OO", 4));
              mixed.add(out(3, "Oo", 5));
              mixed.add(err(9, "gap", 20));
              check("in order", textOf(mixed), "ooEEOOo");
              check("length", mixed.length, 7);

              const changing = new OutputCollector();
              const place = document.createElement("div");
              const draw = () => render(h(Output, { output: changing, label: "Output" }), place);
              const add = (i) => {
                changing.add(out(2 * i, "o\\n", 4 * i));
                changing.add(err(2 * i, "e\\n", 4 * i + 2));
              };
              const spans = () => [...place.querySelectorAll("pre > span")];
              for (let i = 0; i < 2_500; i++) add(i);
              draw();
              check("last spans", spans().length, 2_000);
              place.querySelector("button").click();
              for (let frames = 0; spans().length === 2_000 && frames < 1_000; frames++)
                await new Promise(requestAnimationFrame);
              check("all spans", spans().length, 2_002);
              const last = spans().pop();
              add(2_500);
              draw();
              check("marked", last.textContent, "Error output: e\\n");
              check("kept span", spans().includes(last), true);
              const shown = place.querySelector("pre").textContent.replaceAll("Error output: ", "");
              check("all text", shown.length, changing.length);
              check("end", shown.slice(-12), "o\\ne\\no\\ne\\no\\ne\\n");
              return wrong;
            }""";

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server;
    private final TestTenant tenant;
    private final RestClient api;
    private BrowserSession browser;

    ConsoleIT(SallyportServer server, TestTenant tenant) {
        this.server = server;
        this.tenant = tenant;
        this.api = tenant.api();
    }

    @BeforeEach
    void openBrowser() {
        browser = BrowserSession.open(chromium, server.url()).logIn(tenant.key());
    }

    @AfterEach
    void assertNoBrowserErrors() {
        List<String> complaints = browser.browserErrors();
        List<String> elsewhere = browser.foreignRequests();
        browser.close();
        assertThat(complaints).isEmpty();
        assertThat(elsewhere).isEmpty();
    }

    @AfterAll
    void end() {
        chromium.close();
    }

    private Page page() {
        return browser.page();
    }

    private Locator stateBadge() {
        return page().locator("h1 .badge");
    }

    private String createKey(String name, String role) {
        return api.post("/api/v1/api-keys", "{\"name\": \"" + name + "\", \"roles\": [\"" + role + "\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
    }

    @Test
    void userLogsInStaysLoggedInAndLogsOut() {
        assertThat(browser.heading("Executions")).isVisible();
        page().reload();
        assertThat(browser.heading("Executions")).isVisible();
        browser.button("Log out").click();
        assertThat(page().getByLabel("API key")).isVisible();
        page().reload();
        assertThat(page().getByLabel("API key")).isVisible();
    }

    @Test
    void actionsWithoutPermissionAreNotShown() {
        try (BrowserSession auditor =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Nosy", "auditor"))) {
            assertThat(auditor.page().getByText("Queue and nodes")).isVisible();
            assertThat(auditor.page().getByText("API keys")).isHidden();
            assertThat(auditor.page().getByText("Run a script")).hasCount(0);
        }
    }

    @Test
    void scriptIsWrittenValidatedRunAndFollowed() {
        browser.goTo("/submit");
        browser.fillEditor("Script", "return await demo.ad({ a: 1 })");
        assertThat(page().locator(".verdict")).containsText("There is no tool demo.ad");
        browser.fillEditor("Script", "return +");
        assertThat(page().locator(".verdict")).containsText("cannot run");
        browser.fillEditor(
                "Script",
                "for (let i = 1; i < 4; i++) { console.log('step ' + i); await demo.slow({ millis: 4000, value: i }); "
                        + "}\n"
                        + "return 'arrived';");
        assertThat(page().locator(".verdict")).containsText("can run");
        page().keyboard().press("Control+Enter");

        page().waitForURL(Pattern.compile(".*/console/executions/[0-9a-f-]{36}$"));
        assertThat(page().locator(".output")).containsText("step 1");
        assertThat(stateBadge()).hasText("running");
        assertThat(page().locator(".call")).hasCount(3);
        assertThat(stateBadge()).hasText("completed");
        assertThat(page().locator(".output")).containsText("step 3");
        assertThat(page().getByLabel("Result").getByText("arrived")).isVisible();
    }

    /**
     * Tests every transition between two subsets of seven keyed elements with the library with which the console
     * renders.
     */
    @Test
    void aKeyedListShowsItsItemsAfterEveryChange() {
        Object wrong = page().evaluate("""
                async () => {
                  const { h, render } = await import(new URL("vendor/preact.js", \
                document.querySelector("script[type=module]").src).href);
                  const keys = [..."abcdefg"];
                  const subsets = Array.from({ length: 2 ** keys.length - 1 }, (_, i) => keys.filter((_, bit) => (i + \
                1) & (1 << bit)));
                  const draw = (place, list) => render(h("div", null, list.map((key) => h("span", { key }, key))), \
                place);
                  const wrong = [];
                  for (const from of subsets) {
                    for (const to of subsets) {
                      const place = document.createElement("div");
                      draw(place, from);
                      draw(place, to);
                      if (place.textContent !== to.join("")) wrong.push(from.join("") + ">" + to.join("") + ": " + \
                place.textContent);
                    }
                  }
                  return wrong;
                }""");

        assertThat(wrong).isEqualTo(List.of());
    }

    @Tag("slow")
    @Test
    void failureIsShownAtItsSourceLine() {
        JsonNode failed = api.run(SubmissionBody.javascript("const a = 1;\n\nthrow new Error('no luck ' + a);"));
        browser.goTo("/executions/" + failed.path("id").asText());

        assertThat(stateBadge()).hasText("failed");
        assertThat(page().locator(".code-bad")).containsText("no luck 1");
        assertThat(page().locator(".code-bad .code-number")).hasText("3");
    }

    @Test
    void runningExecutionIsCancelled() {
        String id = api.submit(SubmissionBody.javascript("for (;;) await demo.slow({ millis: 200, value: 1 });"));
        browser.goTo("/executions/" + id);
        assertThat(stateBadge()).hasText("running");
        browser.button("Cancel…").click();
        page().getByLabel("Reason").fill("wrong <b>input</b>");
        browser.button("Cancel the execution").click();

        assertThat(stateBadge()).hasText("cancelled");
        assertThat(page().locator(".head-facts")).containsText("wrong <b>input</b>");
        assertThat(api.awaitEnd(id).at("/cancellation/reason").asText()).isEqualTo("wrong <b>input</b>");
    }

    @Tag("slow")
    @Test
    void endedExecutionIsDeletedAfterAConfirmation() {
        String id = api.run(SubmissionBody.javascript("return 'erased at the console'"))
                .path("id")
                .asText();
        browser.goTo("/executions/" + id);
        browser.button("Delete…").click();
        assertThat(api.get(RestClient.EXECUTIONS + "/" + id).status()).isEqualTo(200);
        browser.button("Delete the execution").click();

        Await.until(
                "it is deleted",
                Duration.ofSeconds(30),
                () -> api.get(RestClient.EXECUTIONS + "/" + id).status() == 404);
    }

    @Tag("slow")
    @Test
    void filteredExecutionsAreCountedAndCancelledTogether() {
        String label = "set:" + UUID.randomUUID();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ids.add(api.submit(SubmissionBody.javascript("await sleep('100s')").label("set", label.substring(4))));
        }
        browser.goTo("/executions?label=" + label);
        browser.button("Cancel these…").click();
        page().getByLabel("Reason").fill("wrong set");
        browser.button("Cancel 2 executions").click();

        for (String id : ids) {
            assertThat(api.awaitEnd(id).at("/cancellation/reason").asText()).isEqualTo("wrong set");
        }
        assertThat(page().getByText(Pattern.compile("Cancelled \\d+, asked \\d+ running to stop.")))
                .isVisible();
    }

    @Test
    void approvalLinkDecidesOnceWithoutLogin() {
        String subject = "<img src=x onerror=alert(1)> " + UUID.randomUUID();
        String id = api.submit(SubmissionBody.javascript(
                        "await demo.send_mail({ to: 'ada', subject: args, body: 'b' }); return 'sent'")
                .args('"' + subject + '"'));
        String link;
        try (BrowserSession approver =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Grace", "approver"))) {
            approver.goTo("/approvals");
            Locator question = approver.page().locator("article", new Page.LocatorOptions().setHasText(subject));
            question.getByText("Create approval link").click();
            link = question.getByLabel("Link", new Locator.GetByLabelOptions().setExact(true))
                    .inputValue();
            assertThat(approver.browserErrors()).isEmpty();
        }
        try (BrowserSession anybody = BrowserSession.open(chromium, server.url())) {
            anybody.page().navigate(link);
            assertThat(anybody.page().locator("h1")).hasText("May demo.send_mail be called?");
            assertThat(anybody.page().getByLabel("Requested arguments")).containsText(subject);
            assertThat(anybody.page().url()).isEqualTo(server.url() + "/console/approval");
            Await.until(
                    "it waits",
                    Duration.ofSeconds(60),
                    () -> api.getExecution(id).path("state").asText().equals("WAITING"));
            anybody.page().getByLabel("Note").fill("from the train");
            anybody.button("Approve").click();
            assertThat(anybody.page().locator("h1")).hasText("Approved");
            assertThat(anybody.browserErrors()).isEmpty();
            assertThat(anybody.foreignRequests()).isEmpty();
        }
        assertThat(api.awaitEnd(id).path("result").asText()).isEqualTo("sent");
        try (BrowserSession revisit = BrowserSession.open(chromium, server.url())) {
            revisit.page().navigate(link);
            assertThat(revisit.page().locator("h1")).hasText("This link is not valid");
            assertThat(revisit.page().getByText("a link works once")).isVisible();
        }
    }

    @Test
    void callIsApprovedWithChangedArguments() {
        String subject = "subject " + UUID.randomUUID();
        String id = api.submit(SubmissionBody.javascript(
                        "await demo.send_mail({ to: 'ada', subject: args, body: 'b' });" + " return demo.outbox()")
                .args('"' + subject + '"'));
        try (BrowserSession approver =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Grace", "approver"))) {
            approver.goTo("/approvals");
            Locator question = approver.page().locator("article", new Page.LocatorOptions().setHasText(subject));
            assertThat(question).containsText("May demo.send_mail be called?");
            question.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Edit the arguments"))
                    .click();
            approver.fillEditor("Arguments", "{\"to\": \"grace\", \"subject\": \"" + subject + "\", \"body\": \"b\"}");
            question.getByLabel("Note").fill("to Grace");
            approver.button("Approve with these arguments").click();
            assertThat(question.locator(".badge")).hasText("approved");
            assertThat(approver.browserErrors()).isEmpty();
        }
        JsonNode ended = api.awaitEnd(id);
        assertThat(ended.path("result").toString()).contains("grace", subject);
        browser.goTo("/executions/" + id);
        page().locator(".call-row").first().click();
        assertThat(page().locator(".call-detail")).containsText("to Grace");
    }

    @Tag("slow")
    @Test
    void expiryValueOfAnApprovalIsShownBeforeAndAfterExpiry() {
        String subject = "subject " + UUID.randomUUID();
        api.post(
                        "/api/v1/policies",
                        "{\"document\":{\"rules\":[{\"name\":\"silence\",\"tools\":[\"demo.send_mail\"],"
                                + "\"decision\":\"ask\","
                                + "\"timeoutMillis\":60000,\"atExpiry\":{\"value\":\"no answer in time\"}}]}}")
                .expectStatus(201);
        String id = api.submit(
                SubmissionBody.javascript("return await demo.send_mail({ to: 'ada', subject: args, body: 'b' })")
                        .args('"' + subject + '"'));
        Await.until(
                id + " to be parked",
                Duration.ofSeconds(30),
                () -> api.getExecution(id).path("state").asText().equals("WAITING"));
        api.post("/api/v1/policies", "{\"document\":{\"rules\":[]}}").expectStatus(201);
        try (BrowserSession approver =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Grace", "approver"))) {
            approver.goTo("/approvals");
            Locator question = approver.page().locator("article", new Page.LocatorOptions().setHasText(subject));
            assertThat(question).containsText("answered with a fixed value");
            assertThat(question.getByLabel("Answer on expiry")).containsText("no answer in time");
            assertThat(api.awaitEnd(id).path("result").asText()).isEqualTo("no answer in time");
            assertThat(question.locator(".badge")).hasText("expired");
            assertThat(question).containsText("Answered by");
            assertThat(question.getByLabel("Answer given")).containsText("no answer in time");
            assertThat(approver.browserErrors()).isEmpty();
        }
        browser.goTo("/executions/" + id);
        page().locator(".call-row").first().click();
        assertThat(page().locator(".call-detail")).containsText("rule silence; the call was not made");
    }

    @Tag("slow")
    @Test
    void dryRunListsItsEffectsAndItsPlanRunsAfterApproval() {
        String name = "n" + UUID.randomUUID();
        browser.goTo("/submit");
        browser.fillEditor("Script", "return await demo.counter_increment({ name: '" + name + "', by: 5 });");
        assertThat(page().locator(".verdict")).containsText("can run");
        browser.button("Dry run").click();
        assertThat(page().locator(".effect")).containsText("demo.counter_increment");
        assertThat(stateBadge()).hasText("completed");
        try (BrowserSession approver =
                BrowserSession.open(chromium, server.url()).logIn(createKey("Grace", "approver"))) {
            approver.page().navigate(page().url());
            approver.button("Approve and run").click();
            assertThat(approver.page().getByText("runs an approved plan")).isVisible();
            assertThat(approver.page().locator("h1 .badge")).hasText("completed");
        }
        assertThat(api.run(SubmissionBody.javascript("return demo.counter_read({ name: '" + name + "' })"))
                        .path("result")
                        .toString())
                .contains("5");
    }

    @Test
    void batchPageShowsProgress() {
        String items = IntStream.range(0, 6)
                .mapToObj(i -> "{\"args\": " + i + "}")
                .collect(Collectors.joining(", ", "[", "]"));
        String on = "on-" + UUID.randomUUID();
        String id = api.post(
                        "/api/v1/batches",
                        "{\"items\": " + items
                                + ", \"maxParallel\": 2, \"defaults\": {\"code\": \"if (args === 2 || args === 3) "
                                + "await events.next('"
                                + on + "'); if (args === 3) throw new Error('3')\"}}")
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
        browser.goTo("/batches");
        page().locator("a[href='/console/batches/" + id + "']").click();

        assertThat(browser.heading("2 of 6 have ended")).isVisible();
        // Two items end at once. The next two wait for this event.
        Await.until("it goes on", Duration.ofSeconds(120), () -> {
            api.run(SubmissionBody.javascript("await events.emit('" + on + "', 1)"));
            return api.get("/api/v1/batches/" + id).json().path("finished").asBoolean();
        });
        assertThat(browser.heading("6 of 6 have ended")).isVisible();
        assertThat(page().locator(".rows .badge")).hasCount(6);
        assertThat(browser.button("Retry the 1 failed")).isVisible();
    }

    @Tag("slow")
    @Test
    void blockedAttemptsOfAScriptAreShown() {
        String id = api.run(SubmissionBody.javascript(
                        "for (let i = 0; i < 3; i++) try { process.exit() } catch {}\nreturn 'ended'"))
                .path("id")
                .asText();
        browser.goTo("/executions/" + id);
        assertThat(panel("Blocked attempts").locator("li")).hasCount(1);
        assertThat(panel("Blocked attempts").locator("li")).containsText("global process.exit 3 times");
    }

    @Tag("slow")
    @Test
    void usedToolsOfACapabilityAreShown() {
        api.post("/api/v1/capabilities", """
                {"name": "console.adds", "version": "1.0.0", "tools": ["demo.add"],
                 "code": "export default () => demo.add({ a: 1, b: 2 })"}
                """).expectStatus(201);
        api.send(api.submissionRequest("{\"capability\": \"console.adds\"}", "Prefer", "wait=30"))
                .expectStatus(200);
        Await.until(
                "its tool to be recorded",
                Duration.ofSeconds(60),
                () -> !api.get("/api/v1/capabilities/console.adds/versions/1.0.0")
                        .json()
                        .path("usedTools")
                        .isEmpty());
        browser.goTo("/capabilities/console.adds");
        assertThat(panel("Used tools").locator("tbody tr")).hasCount(1);
        assertThat(panel("Used tools").locator("tbody tr")).containsText("demo.add");
    }

    @Tag("slow")
    @Test
    void pagesOfSchedulesAndCapabilitiesNameTheirCreator() {
        JsonNode capability =
                api.post("/api/v1/capabilities", """
                {"name": "console.created", "version": "1.0.0", "code": "return 1"}
                """).expectStatus(201).json();
        JsonNode schedule = api.post("/api/v1/schedules", """
                {"name": "console-daily", "everyMillis": 86400000, "run": {"code": "return 1"}}
                """).expectStatus(201).json();

        browser.goTo("/capabilities/console.created");
        assertThat(panel("Version 1.0.0"))
                .containsText(" by " + capability.required("submittedBy").asText());
        browser.goTo("/schedules");
        Locator shown = page().locator(".panel", new Page.LocatorOptions().setHasText("console-daily"));
        shown.getByText("Next times, executions, script").click();
        assertThat(shown)
                .containsText("Created by" + schedule.required("submittedBy").asText());
    }

    @Test
    void rowsOfAFileAreCheckedAndRun() {
        api.post("/api/v1/capabilities", """
                {"name": "console.price", "version": "1.0.0", "tools": [],
                 "code": "if (args.price > 9) throw new Error('too dear'); return { double: args.price * 2 }",
                 "inputSchema": {"type": "object", "required": ["price"], "properties": {
                   "name": {"type": "string"}, "price": {"type": "number"}}}}
                """).expectStatus(201);
        browser.goTo("/capabilities/console.price");
        page().getByText("Run rows…").click();
        dropFile("first.csv", "name,price\n7,2.50\n");
        assertThat(browser.button("Run 1 row")).isVisible();
        page().locator("input[type=file]")
                .setInputFiles(new FilePayload(
                        "prices.csv",
                        "text/csv",
                        "name,price\n7,2.50\nsofa,much\nlamp,10\nvase,4\n".getBytes(StandardCharsets.UTF_8)));

        assertThat(region("The first rows").locator("tbody tr")).hasCount(4);
        assertThat(region("The first rows").locator("tbody tr").first()).containsText("\"7\"2.5");
        assertThat(region("Refused rows").locator("tbody tr")).hasCount(1);
        assertThat(region("Refused rows").locator("tbody tr")).containsText("23/price");
        browser.button("Run 3 rows").click();

        page().waitForURL(Pattern.compile(BATCH_PAGE));
        assertThat(browser.heading("3 of 3 have ended")).isVisible();
        assertThat(page().getByText("console.price@1.0.0")).isVisible();
        String batch = page().url().replaceAll(".*/", "");
        assertThat(panel("3 of 3 have ended")).containsText("Submitted by" + submitter(batch));
        Locator rows = page().locator(".rows tr[data-id]");
        assertThat(rows).hasCount(4);
        assertThat(rows.first()).containsText("{\"name\":\"7\",\"price\":\"2.50\"}{\"double\":5}");
        assertThat(rows.first().locator("td").nth(DURATION_COLUMN)).hasText(Pattern.compile("^\\d+(\\.\\d+)? m?s$"));
        assertThat(rows.nth(1)).containsText("line 3:");
        assertThat(rows.nth(2)).containsText("too dear");
        browser.button("Failed only").click();
        assertThat(rows).hasCount(2);
        assertThat(rows.first()).hasAttribute("data-id", "1");

        browser.goTo("/executions");
        Locator entry = page().locator("tr[data-id]").first();
        assertThat(entry).containsText("Batch of 4 console.price@1.0.0");
        assertThat(entry).containsText("2 completed, 1 failed");
        entry.locator("a").click();
        assertThat(browser.heading("3 of 3 have ended")).isVisible();
        browser.button("Retry the 1 failed").click();

        page().waitForURL(url -> url.matches(BATCH_PAGE) && !url.endsWith(batch));
        assertThat(browser.heading("1 of 1 have ended")).isVisible();
        assertThat(panel("1 of 1 have ended").locator("a[href='/console/batches/" + batch + "']"))
                .isVisible();
        assertThat(rows).hasCount(1);
        assertThat(rows.first()).containsText("{\"name\":\"lamp\",\"price\":\"10\"}");
        assertThat(rows.first()).containsText("too dear");
    }

    /** The caller who submitted a batch, as the service shows it. */
    private String submitter(String batch) {
        return api.get("/api/v1/batches/" + batch)
                .expectStatus(200)
                .json()
                .required("submittedBy")
                .asText();
    }

    @Tag("slow")
    @Test
    void enteredCapabilityAndSettingsApplyToTheRows() {
        api.post("/api/v1/capabilities", """
                {"name": "console.plus", "version": "1.0.0", "tools": ["demo.add"],
                 "code": "return demo.add({ a: args.price, b: 1 })",
                 "inputSchema": {"type": "object", "properties": {"price": {"type": "number"}}}}
                """).expectStatus(201);
        browser.goTo("/batches/new");
        dropFile("prices.csv", "price\n1\n1\n2\nmuch\n");
        assertThat(page().getByText("Choose a capability")).isVisible();
        page().getByLabel("Capability", new Page.GetByLabelOptions().setExact(true))
                .fill("console.plus");
        assertThat(browser.button("Run 3 rows")).isEnabled();

        Locator atomic = page().getByLabel("Refuse the file if one row is refused");
        atomic.check();
        assertThat(browser.button("Run 3 rows")).isDisabled();
        atomic.uncheck();
        page().getByLabel("Run equal rows once, if they only read").check();
        assertThat(panel("First rows")).containsText("Equal rows that share a run1");
        browser.button("Run 3 rows").click();

        page().waitForURL(Pattern.compile(BATCH_PAGE));
        assertThat(panel("3 of 3 have ended")).containsText("Answered by an equal item1");
        Locator rows = page().locator(".rows tr[data-id]");
        assertThat(rows).hasCount(4);
        String execution = rows.first().locator("a").first().getAttribute("href");
        assertThat(rows.nth(1).locator("a").first()).hasAttribute("href", execution);
        assertThat(rows.nth(2).locator("a").first()).not().hasAttribute("href", execution);
    }

    private Locator panel(String title) {
        return page().locator(".panel:has(h2:text-is('" + title + "'))");
    }

    private Locator region(String name) {
        return page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName(name));
    }

    private void dropFile(String name, String text) {
        JSHandle transfer = page().evaluateHandle(
                        "([name, text]) => { const transfer = new DataTransfer();"
                                + " transfer.items.add(new File([text], name)); return transfer; }",
                        List.of(name, text));
        page().locator(".file-drop").dispatchEvent("drop", Map.of("dataTransfer", transfer));
    }

    @Tag("slow")
    @Test
    void endedExecutionIsRerunFromACall() {
        JsonNode first = api.run(SubmissionBody.javascript(
                "const a = await demo.add({ a: 1, b: 2 });\nconst b = await demo.echo('x');\nreturn a + b;"));
        browser.goTo("/executions/" + first.path("id").asText());
        page().getByText("Run again").click();
        assertThat(page().locator(".call-choices li")).hasCount(2);
        browser.fillEditor(
                "Script", "const a = await demo.add({ a: 1, b: 2 });\nconst b = await demo.echo('y');\nreturn a + b;");
        assertThat(page().locator(".diff-new")).containsText("demo.echo('y')");
        page().keyboard().press("Control+Enter");

        page().waitForURL(url -> url.contains("/executions/")
                && !url.contains("rerun")
                && !url.contains(first.path("id").asText()));
        assertThat(stateBadge()).hasText("completed");
        page().getByText("Compare").click();
        assertThat(page().locator(".difference").first()).containsText("3y");
        assertThat(page().locator(".diff-gone").last()).containsText("demo.echo('x')");
    }

    @Tag("slow")
    @Test
    void longListScrollsInOrderWithoutJumps() {
        String items = IntStream.range(0, 350)
                .mapToObj(i -> "{\"args\": " + i + "}")
                .collect(Collectors.joining(", ", "[", "]"));
        String batch = api.post(
                        "/api/v1/batches", "{\"items\": " + items + ", \"defaults\": {\"code\": \"return args\"}}")
                .expectStatus(202)
                .json()
                .path("id")
                .asText();
        Await.until(
                "the batch has ended",
                Duration.ofSeconds(180),
                () -> api.get("/api/v1/batches/" + batch)
                        .json()
                        .path("finished")
                        .asBoolean());
        List<String> ids = api.listExecutionIds();
        browser.goTo("/executions?since=P1D");
        assertThat(page().locator("tr[data-id='" + ids.get(0) + "']")).isVisible();
        for (int at : List.of(0, 90, 180, 300)) {
            Locator row = page().locator("tr[data-id='" + ids.get(at) + "']");
            Await.until("row " + at + " is there", Duration.ofSeconds(90), () -> {
                if (row.count() > 0) {
                    return true;
                }
                // Not by turns of the wheel: a busy browser combines several into one, which passes over the row.
                page().evaluate(SCROLL_AND_DRAW, 600);
                return false;
            });
            assertThat(row).hasAttribute("aria-rowindex", Integer.toString(at + 2));
        }
        assertThat(page().locator(".rows tbody tr").count()).isLessThan(80);
    }

    @Tag("slow")
    @Test
    void filtersAreKeptInTheUrl() {
        String label = "l" + UUID.randomUUID();
        String id = api.run(SubmissionBody.javascript("return 1").label("mark", label))
                .path("id")
                .asText();
        api.run(SubmissionBody.javascript("throw 1").label("mark", label));
        browser.goTo("/executions");
        page().getByPlaceholder("Search script").fill(label);
        assertThat(page().locator("tbody tr[data-id]")).hasCount(2);
        page().locator(".chip.is-completed").click();
        assertThat(page().locator("tbody tr[data-id]")).hasCount(1);
        page().waitForURL(Pattern.compile(".*state=COMPLETED.*"));
        page().reload();
        assertThat(page().locator("tbody tr[data-id]")).hasAttribute("data-id", id);
    }

    @Test
    void bothStreamsAreShownInTheOrderInWhichTheScriptWroteThem() {
        String id = api.submit(SubmissionBody.javascript("for (let i = 1; i < 4; i++) { console.log('step ' + i);"
                + " console.error('warning ' + i); await demo.slow({ millis: 2000, value: i }); }"));
        String inOrder = "step 1\nError output: warning 1\nstep 2\nError output: warning 2\nstep 3\n"
                + "Error output: warning 3\n";
        browser.goTo("/executions/" + id);
        Locator output = page().locator(".output");
        assertThat(output).containsText("step 1\nError output: warning 1\n");
        assertThat(output).containsText(inOrder);
        assertThat(stateBadge()).hasText("completed");
        page().reload();
        assertThat(output).containsText(inOrder);
        assertThat(output.locator(".output-bad")).hasCount(3);
        assertThat(output.locator(".output-bad").first())
                .hasAttribute("title", Pattern.compile("^Error output, \\S.*"));
        assertThat(output.locator(".output-bad").first()).hasCSS("border-left-style", "solid");
        assertThat(page().evaluate(SHOWS_LONG_OUTPUT)).isEqualTo(List.of());
    }

    @Test
    void hostileNamesAndOutputAreShownAsPlainText() {
        String code = "/* " + HOSTILE_TEXT + " */ console.log("
                + TestJson.write(TestJson.array().add(HOSTILE_TEXT)) + "[0]);"
                + "console.log('\\u001b[31mred\\u001b[0m \\u202Edesrever\\u202C \\u0000 \\u200b');"
                + "console.error('javascript:alert(3)');"
                + "await artifacts.write('../../<b>x</b>\\u202Egnp.js', 'x', { contentType: 'text/html' });"
                + "await tools['demo']['fail']({ message: "
                + TestJson.write(TestJson.array().add(HOSTILE_TEXT)) + "[0] });";
        String id = api.run(SubmissionBody.javascript(code)
                        .label("<b>bold</b>", HOSTILE_TEXT)
                        .with(
                                "intent",
                                TestJson.write(TestJson.array().add(HOSTILE_TEXT))
                                        .replaceAll("^\\[|]$", "")))
                .path("id")
                .asText();
        browser.goTo("/executions/" + id);

        Locator output = page().locator(".output").first();
        assertThat(output).containsText(HOSTILE_TEXT);
        assertThat(output).containsText("␛[31mred␛[0m U+202Edesrever");
        assertThat(output.locator(".mark").first()).isVisible();
        for (String tab : List.of("Trace", "Journal", "Files", "Details", "Overview")) {
            page().locator(".tabs").getByText(tab).click();
            assertThat(page().locator(".panel").first()).isVisible();
            assertThat(page().locator("main img, main script, main b, main textarea"))
                    .hasCount(0);
        }
        page().locator(".tabs").getByText("Files").click();
        assertThat(page().locator("td a").first()).containsText("<b>x</b>U+202Egnp.js");
        browser.goTo("/executions");
        assertThat(page().locator("tr[data-id='" + id + "']")).containsText("<img src=x");
        assertThat(page().locator("main img, main script, main b")).hasCount(0);
    }

    @Test
    void sessionEndsWhenItsKeyIsDeleted() {
        JsonNode created = api.post("/api/v1/api-keys", "{\"name\": \"short\", \"roles\": [\"submitter\"]}")
                .expectStatus(201)
                .json();
        try (BrowserSession guest = BrowserSession.open(chromium, server.url())
                .logIn(created.path("key").asText())) {
            assertThat(guest.heading("Executions")).isVisible();
            api.send(api.request("/api/v1/api-keys/" + created.path("id").asText())
                            .DELETE())
                    .expectStatus(204);

            assertThat(guest.page().getByText("Your session has ended")).isVisible();
        }
    }
}
