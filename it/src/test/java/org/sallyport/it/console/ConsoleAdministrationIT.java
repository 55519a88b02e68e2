package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** Budgets, quotas, secrets, callbacks and nested executions of a tenant, at the console. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleAdministrationIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final String SECRETS = "/api/v1/secrets";
    private static final String QUOTAS = "/api/v1/quotas";

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final AtomicInteger receiverStatus = new AtomicInteger(500);
    private final AtomicInteger callbackCount = new AtomicInteger();
    private HttpServer receiver;
    private SallyportServer server;
    private RestClient api;
    private RestClient otherApi;
    private BrowserSession browser;

    @BeforeAll
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            callbackCount.incrementAndGet();
            exchange.sendResponseHeaders(receiverStatus.get(), -1);
            exchange.close();
        });
        receiver.start();
        ServerSetup fresh = ServerSetup.create("console-ledger");
        server = fresh.with("sallyport.db.url", ApiKeyInserter.sharedDatabaseUrl(fresh.dataDirectory()))
                .with("h2.bindAddress", "127.0.0.1")
                .with("sallyport.callbacks.allowed-hosts", "127.0.0.1")
                .with("sallyport.callbacks.allow-private-addresses", "true")
                .with("sallyport.callbacks.retry-millis", "100")
                .with("sallyport.callbacks.attempts", "2")
                .start();
        api = server.api();
        otherApi = api.withKey(ApiKeyInserter.insertForeign(server.dataDirectory()));
    }

    @BeforeEach
    void openBrowser() {
        browser = BrowserSession.open(chromium, server.url()).logIn(server.adminKey());
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
        server.close();
        receiver.stop(0);
    }

    private Page page() {
        return browser.page();
    }

    private Locator dialog() {
        return page().locator("dialog .dialog-body");
    }

    private Locator navigationLink(BrowserSession who, String name) {
        return who.page()
                .locator("nav[aria-label='Pages']")
                .getByText(name, new Locator.GetByTextOptions().setExact(true));
    }

    private BrowserSession openBrowserWithRole(String role) {
        String key = api.post("/api/v1/api-keys", "{\"name\": \"the " + role + "\", \"roles\": [\"" + role + "\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        return BrowserSession.open(chromium, server.url()).logIn(key);
    }

    /** Checks accessibility and overflow of the visible page and takes a screenshot. */
    private void assertAccessible(String name) {
        List<String> faults = new ArrayList<>();
        ConsoleAccessibilityIT.checkAccessibility(page(), name, faults);
        assertThat(faults).isEmpty();
    }

    private Locator costRow(String name) {
        return page().locator(".spent tr[data-name='" + name + "']");
    }

    private Locator budgetPanel(String name) {
        return page().locator(".budget")
                .filter(new Locator.FilterOptions()
                        .setHas(page().locator(".budget-name", new Page.LocatorOptions().setHasText(name))));
    }

    @Test
    void callCostsAndBudgetsAreShown() {
        browser.goTo("/costs");
        assertThat(page().getByText("No call costs anything.")).isVisible();
        assertThat(page().getByText("Nothing was spent")).isVisible();

        api.post("/api/v1/policies", """
                {"comment": "costs", "document": {"rules": [],
                  "costs": [{"tools": ["demo.add"], "cost": 0.5, "multiplierPointer": "/a"},
                    {"tools": ["demo.clock"], "cost": 1}],
                  "budgets": [{"name": "team", "scope": "tenant", "period": "month", "cost": 1000},
                    {"name": "each", "scope": "key", "period": "day", "cost": 5, "onExceeded": "ask"},
                    {"name": "one-run", "scope": "execution", "cost": 6}]}}
                """).expectStatus(201);
        api.run(SubmissionBody.javascript("await demo.clock(); await demo.clock(); return demo.add({ a: 5, b: 1 })"));
        assertThat(costRow("demo.add")).containsText("2.5");
        assertThat(costRow("demo.clock")).containsText("2");
        assertThat(page().locator(".spent tfoot")).containsText("4.5");
        browser.goTo("/costs");
        assertThat(budgetPanel("team")).containsText("4.5 of 1,000");
        assertThat(budgetPanel("each")).containsText("4.5 of 5");
        assertThat(budgetPanel("each")).containsText("over budget: approval required");
        assertThat(budgetPanel("each").locator(".meter-warn")).hasAttribute("aria-valuenow", "90");
        assertThat(budgetPanel("one-run")).containsText("6 per execution");
        assertAccessible("costs-small");
        page().getByText("by key", new Page.GetByTextOptions().setExact(true)).click();
        page().waitForURL(Pattern.compile(".*by=key.*"));
        assertThat(page().locator(".spent")).containsText("yours");
        page().getByText("by day", new Page.GetByTextOptions().setExact(true)).click();
        page().getByLabel("Since").selectOption("the last 30 days");
        page().waitForURL(Pattern.compile(".*since=30.*"));
        assertThat(page().locator(".spent tbody tr")).hasCount(1);
        assertThat(page().locator(".spent tbody tr")).containsText("4.5");

        try (BrowserSession auditor = openBrowserWithRole("auditor")) {
            navigationLink(auditor, "Costs and quotas").click();
            assertThat(auditor.page().getByText("Show policy")).isVisible();
            assertThat(auditor.browserErrors()).isEmpty();
        }
        try (BrowserSession submitter = openBrowserWithRole("submitter")) {
            assertThat(navigationLink(submitter, "Callbacks")).isVisible();
            for (String none : List.of("Costs and quotas", "Tenants", "Secrets")) {
                assertThat(navigationLink(submitter, none)).hasCount(0);
            }
        }
    }

    @Test
    void installationOperatorSetsTenantQuotas() {
        String them =
                otherApi.get(QUOTAS).expectStatus(200).json().path("tenant").asText();
        navigationLink(browser, "Tenants").click();
        assertThat(page().locator("[data-quota='live']")).containsText("no limit");
        assertThat(costRow("default")).containsText("yours");
        costRow(them).getByRole(AriaRole.LINK).click();
        page().waitForURL(Pattern.compile(".*tenant=" + them));
        assertThat(page().locator("main h2").first()).containsText(them);
        page().getByLabel("Tenant", new Page.GetByLabelOptions().setExact(true)).fill("default");
        browser.button("Show").click();
        page().waitForURL(Pattern.compile(".*tenant=default"));
        page().getByLabel("Tenant", new Page.GetByLabelOptions().setExact(true)).fill(them);
        browser.button("Show").click();
        page().waitForURL(Pattern.compile(".*tenant=" + them));
        browser.button("Change quotas…").click();
        dialog().getByLabel("Executions that have not ended").fill("many");
        assertThat(page().getByText("A quota must be a whole number.")).isVisible();
        assertThat(browser.button("Save quotas")).isDisabled();
        dialog().getByLabel("Executions that have not ended").fill("2");
        dialog().getByLabel("Stored in artifacts and journals").fill("5242880");
        assertAccessible("tenant-quotas");
        browser.button("Save quotas").click();
        assertThat(page().locator("[data-quota='live']")).containsText("0 of 2");
        assertThat(page().locator("[data-quota='live']")).containsText("set for this tenant");
        assertThat(page().locator("[data-quota='storedBytes']")).containsText("of 5 MiB");
        assertThat(page().locator("[data-quota='queued']")).not().containsText("set for this tenant");
        JsonNode set = otherApi.get(QUOTAS).json().path("quotas");
        assertThat(set.at("/live/limit").asInt()).isEqualTo(2);
        assertThat(set.at("/storedBytes/limit").asInt()).isEqualTo(5_242_880);

        String one = otherApi.submit(SubmissionBody.javascript("for (;;) await sleep(200)"));
        String other = otherApi.submit(SubmissionBody.javascript("for (;;) await sleep(200)"));
        assertThat(page().locator("[data-quota='live'] .meter-bad")).isVisible();
        assertThat(costRow(them)).containsText("own quotas");
        assertThat(page().locator("[data-quota='live']")).containsText("used up");
        assertAccessible("tenant");
        otherApi.cancel(one);
        otherApi.cancel(other);

        browser.button("Change quotas…").click();
        assertThat(dialog().getByLabel("Executions that have not ended")).hasValue("2");
        dialog().getByLabel("Executions that have not ended").fill("");
        browser.button("Save quotas").click();
        assertThat(page().locator("[data-quota='live']")).containsText("no limit");
        assertThat(otherApi.get(QUOTAS).json().at("/quotas/live/overridden").asBoolean())
                .isFalse();

        try (BrowserSession stranger =
                BrowserSession.open(chromium, server.url()).logIn(otherTenantKey())) {
            assertThat(navigationLink(stranger, "Costs and quotas")).isVisible();
            assertThat(navigationLink(stranger, "Tenants")).hasCount(0);
            stranger.goTo("/tenants?tenant=default");
            assertThat(stranger.page().getByText("Only for operators of the installation"))
                    .isVisible();
            navigationLink(stranger, "Costs and quotas").click();
            assertThat(stranger.page().locator("[data-quota='storedBytes']")).containsText("of 5 MiB");
            assertThat(stranger.browserErrors()).isEmpty();
        }
    }

    private String otherTenantKey() {
        return ApiKeyInserter.insertForeign(server.dataDirectory());
    }

    /** Not by label alone: the label of a checkbox contains the same words. */
    private Locator dialogTextbox(String label) {
        return dialog().getByRole(AriaRole.TEXTBOX, new Locator.GetByRoleOptions().setName(label));
    }

    @Test
    void variablesAreSetChangedAndDeleted() {
        navigationLink(browser, "Variables").click();
        assertThat(page().getByText("No variables yet")).isVisible();
        browser.button("Set the first variable").click();
        dialog().getByLabel("Name").fill("REGION");
        dialogTextbox("Value").fill("<b>eu-1</b>");
        assertAccessible("variable-new");
        browser.button("Store").click();
        Locator row = page().locator("tr[data-name='REGION']");
        assertThat(row).containsText("<b>eu-1</b>");

        row.getByText("Change…").click();
        dialog().getByText("Take the value of a secret").click();
        dialogTextbox("Secret").fill("no-such-secret");
        browser.button("Store").click();
        assertThat(dialog().getByRole(AriaRole.ALERT)).containsText("names no secret of the tenant");
        browser.browserErrors().removeIf(text -> text.contains("400"));
        browser.button("Cancel").click();
        assertThat(row.locator("td").nth(2)).hasText("1");

        try (BrowserSession auditor = openBrowserWithRole("auditor")) {
            navigationLink(auditor, "Variables").click();
            assertThat(auditor.page().locator("tr[data-name='REGION']")).isVisible();
            for (String button : List.of("New variable", "Change…", "Delete…")) {
                assertThat(auditor.button(button)).hasCount(0);
            }
        }
        row.getByText("Delete…").click();
        browser.button("Delete the variable").click();
        assertThat(page().getByText("No variables yet")).isVisible();
        assertThat(api.get("/api/v1/variables").json().path("items")).isEmpty();
    }

    @Test
    void secretsAreStoredChangedAndDeletedButNeverShown() {
        String value = "not-to-be-seen-by-anybody";
        navigationLink(browser, "Secrets").click();
        assertThat(page().getByText("No secrets yet")).isVisible();
        browser.button("Store the first secret").click();
        dialog().getByLabel("Name").fill("weather-key");
        dialog().getByLabel("Value").fill("short");
        assertThat(page().getByText("5 characters; 8 to 16,384 are allowed")).isVisible();
        assertThat(browser.button("Store")).isDisabled();
        dialog().getByLabel("Value").fill(value + '\n');
        assertThat(dialog().getByLabel("Value")).hasCSS("-webkit-text-security", "disc");
        assertAccessible("secret-new");
        browser.button("Store").click();
        Locator row = page().locator("tr[data-name='weather-key']");
        assertThat(row).containsText("never");
        assertThat(firstSecret().path("version").asInt()).isEqualTo(1);

        browser.button("New secret").click();
        dialog().getByLabel("Name").fill("weather-key");
        dialog().getByLabel("Value").fill(value);
        browser.button("Store").click();
        assertThat(dialog().getByRole(AriaRole.ALERT)).containsText("there is a secret 'weather-key'");
        browser.button("Cancel").click();
        browser.browserErrors().removeIf(text -> text.contains("409"));

        row.getByText("New value…").click();
        dialog().getByLabel("Value").fill("another-" + value);
        page().getByText("Show what I type").click();
        assertThat(dialog().getByLabel("Value")).hasCSS("-webkit-text-security", "none");
        browser.button("Store").click();
        assertThat(row.locator("td").nth(1)).hasText("2");
        assertThat(firstSecret().path("version").asInt()).isEqualTo(2);
        assertThat(page().content()).doesNotContain(value);
        assertAccessible("secrets-one");

        try (BrowserSession auditor = openBrowserWithRole("auditor")) {
            navigationLink(auditor, "Secrets").click();
            assertThat(auditor.page().locator("tr[data-name='weather-key']")).isVisible();
            for (String button : List.of("New secret", "New value…", "Delete…")) {
                assertThat(auditor.button(button)).hasCount(0);
            }
        }
        row.getByText("Delete…").click();
        browser.button("Cancel").click();
        assertThat(row).isVisible();
        row.getByText("Delete…").click();
        browser.button("Delete the secret").click();
        assertThat(page().getByText("No secrets yet")).isVisible();
        assertThat(api.get(SECRETS).json().path("items")).isEmpty();
    }

    private JsonNode firstSecret() {
        return api.get(SECRETS).expectStatus(200).json().at("/items/0");
    }

    @Test
    void failedCallbackIsSentAgain() {
        navigationLink(browser, "Callbacks").click();
        assertThat(page().getByText("No failed callbacks")).isVisible();
        browser.button("New signing secret…").click();
        browser.button("Create secret").click();
        assertThat(page().locator(".key-shown")).containsText(Pattern.compile("[A-Za-z0-9_-]{20,}"));
        assertAccessible("callbacks-secret");
        browser.button("Done, I saved it").click();
        assertThat(page().locator(".key-shown")).hasCount(0);

        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hooks?of=console";
        String id = api.submit(SubmissionBody.javascript("return 1").with("callback", "\"" + url + "\""));
        Await.until("it is given up", TIMEOUT, () -> callbackState(id).equals("failed"));
        Locator row = page().locator("tr[data-id='" + id + "']");
        assertThat(row).containsText("failed");
        assertThat(row).containsText("2 attempts");
        assertThat(row).containsText("answered 500");
        assertThat(row).containsText("/hooks?of=console");
        assertAccessible("callbacks-failed");
        try (BrowserSession auditor = openBrowserWithRole("auditor")) {
            auditor.goTo("/callbacks");
            assertThat(auditor.page().locator("tr[data-id='" + id + "']")).isVisible();
            assertThat(auditor.button("Send again")).hasCount(0);
            assertThat(auditor.button("New signing secret…")).hasCount(0);
        }
        receiverStatus.set(204);
        row.getByText("Send again").click();
        assertThat(page().getByText("1 callback is sent again.")).isVisible();
        assertThat(row).hasCount(0);
        Await.until("it is delivered", TIMEOUT, () -> callbackState(id).equals("delivered"));
        page().getByText("delivered", new Page.GetByTextOptions().setExact(true))
                .first()
                .click();
        page().waitForURL(Pattern.compile(".*state=delivered.*"));
        assertThat(row).containsText("answered 204");
        row.getByRole(AriaRole.LINK).click();
        page().getByText("Details", new Page.GetByTextOptions().setExact(true)).click();
        assertThat(page().locator("main")).containsText("/hooks?of=console");
        assertAccessible("callback-of-one");
        int before = callbackCount.get();
        page().getByText("Send again").click();
        Await.until("it is sent once more", TIMEOUT, () -> callbackCount.get() > before);
        assertThat(page().locator(".facts .pill")).hasText("delivered");
    }

    private String callbackState(String id) {
        return api.getExecution(id).at("/callback/state").asText();
    }

    @Test
    void nestedExecutionsAreShownAsATree() {
        SeededConsole.publishCapability(api, "tree.leaf", "await sleep(args.millis); return 1");
        SeededConsole.publishCapability(api, "tree.breaks", "throw new Error('no luck')");
        SeededConsole.publishCapability(
                api,
                "tree.branch",
                "await capabilities.tree.breaks({}).catch(() => 0); return capabilities.tree.leaf({ millis: "
                        + "args.millis })");
        SeededConsole.publishCapability(api, "tree.deep", "return capabilities.tree.branch({ millis: 1 })");
        String leaf = api.run(SubmissionBody.javascript("return 1")).path("id").asText();
        browser.goTo("/executions/" + leaf);
        assertThat(browser.heading("Calls")).isVisible();
        assertThat(browser.heading("Child runs")).hasCount(0);

        String root = api.submit(SubmissionBody.javascript(
                "await capabilities.tree.deep({}); await capabilities.tree.branch({ millis: 15000 }); return 'whole'"));
        browser.goTo("/executions/" + root);
        Locator tree = page().locator(".children").first();
        assertThat(tree.locator(":scope > .child")).hasCount(2);
        Locator branch = tree.locator(":scope > .child").last();
        assertThat(branch.locator(".badge.is-running").first()).isVisible();
        assertThat(branch.locator(".children .child")).hasCount(2);
        assertThat(branch).containsText("tree.breaks@1.0.0");
        assertThat(branch).containsText("script-error");
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(branch.locator(".badge.is-running")).hasCount(0);
        assertThat(branch.locator(":scope > .child-row .call-time"))
                .hasText(Pattern.compile("(1[5-9]|[2-5]\\d)\\.\\d s"));

        Locator deep = tree.locator(":scope > .child").first();
        assertThat(deep.locator(".children .child")).hasCount(3);
        assertThat(deep.locator(".children .children .child")).hasCount(2);
        assertThat(page().getByText("Show child runs")).hasCount(0);
        page().locator(".call-row").first().click();
        assertThat(page().locator(".call-detail")).containsText("tree.deep@1.0.0");
        assertThat(page().locator(".call-detail a"))
                .hasAttribute("href", Pattern.compile(".*/executions/" + deep.getAttribute("data-id")));
        page().locator(".call-row").first().click();
        tree.scrollIntoViewIfNeeded();
        assertAccessible("tree");
        deep.getByRole(AriaRole.LINK).first().click();
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(page().getByText("child of")).isVisible();

        String wide = api.run(SubmissionBody.javascript(
                        "for (let i = 0; i < 24; i++) await capabilities.tree.leaf({ millis: 1 }); return 'wide'"))
                .path("id")
                .asText();
        browser.goTo("/executions/" + wide);
        assertThat(tree.locator(".child")).hasCount(24);
        assertThat(page().getByText("Show child runs")).hasCount(4);
        page().getByText("Show child runs").first().click();
        assertThat(page().getByText("Show child runs")).hasCount(3);
        assertThat(page().getByText("No child runs.")).isVisible();
    }

    @Test
    void lineOfThePendingCallIsMarkedIfUnambiguous() {
        String id = api.submit(SubmissionBody.javascript("""
                // demo.slow( is called here, says a comment
                const text = 'and demo.slow( says a text';
                const [one] = await Promise.all([
                  demo.slow({ millis: 60000, value: text }),
                  // What is printed after an answer is stored with it.
                  Promise.all([demo.echo(1), demo.echo(2)]).then(() => console.log('echoed')),
                ]);
                return one;
                """));
        browser.goTo("/executions/" + id);
        Locator mark = page().locator(".code-going");
        assertThat(mark).hasCount(1);
        assertThat(mark.locator(".code-number")).hasText("4");
        assertThat(mark).containsText("Call 1 is pending");
        page().locator(".code").scrollIntoViewIfNeeded();
        assertAccessible("running-line");
        api.cancel(id);
        assertThat(page().locator("h1 .badge")).hasText("cancelled");
        assertThat(mark).hasCount(0);

        String doubtful = api.submit(SubmissionBody.javascript(
                "const slow = (millis) => demo.slow({ millis });\nif (args === null) await demo.slow({ "
                        + "millis: 1 });\nreturn slow(60000);"));
        api.awaitRunning(doubtful);
        browser.goTo("/executions/" + doubtful);
        assertThat(page().locator(".call-going")).hasCount(1);
        assertThat(page().locator(".code")).isVisible();
        assertThat(mark).hasCount(0);
        api.cancel(doubtful);

        String rooted = api.submit(
                SubmissionBody.javascript("const millis = 60000;\nreturn await tools.demo.slow({ millis });"));
        browser.goTo("/executions/" + rooted);
        assertThat(mark.locator(".code-number")).hasText("2");
        api.cancel(rooted);

        String asks = api.submit(SubmissionBody.javascript(
                "const to = 'ada';\nawait demo.send_mail({ to, subject: 's', body: 'b' });\nreturn 1"));
        browser.goTo("/executions/" + asks);
        assertThat(mark.locator(".code-number")).hasText("2");
        assertThat(mark).containsText("Call 1 waits for approval");
        api.cancel(asks);
    }
}
