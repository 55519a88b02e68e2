package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;

/**
 * Checks the accessibility of every page, in a wide and a narrow window, in light and dark mode, and that no content
 * overflows the window. {@code -Dconsole.pictures=<directory>} writes screenshots.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleAccessibilityIT {
    /**
     * Waits for finite animations, up to 10 seconds. An element that fades in has too little contrast until it is fully
     * visible, and a busy machine prolongs this. Endless animations do not matter.
     */
    private static final String AWAIT_ANIMATIONS = """
            () => Promise.race([
              Promise.all(document.getAnimations()
                .filter((it) => it.playState === 'running' && Number.isFinite(it.effect?.getComputedTiming().endTime))
                .map((it) => it.finished.catch(() => 0))),
              new Promise((over) => setTimeout(over, 10000)),
            ]).then(() => 0)
            """;

    private static final int MAX_FIRST_LOAD_BYTES = 400_000;

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server = ServerSetup.create("console-pages")
            .with("sallyport.tool-graph.ingest-delay-millis", "200")
            .with("sallyport.callbacks.allowed-hosts", "127.0.0.1")
            .with("sallyport.callbacks.allow-private-addresses", "true")
            .with("sallyport.callbacks.retry-millis", "100")
            .with("sallyport.callbacks.attempts", "2")
            .start();
    private final SeededConsole seededConsole = SeededConsole.build(server);

    @AfterAll
    void end() {
        chromium.close();
        server.close();
    }

    private Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("executions", "/executions");
        pages.put("nothing", "/executions?q=nothing-is-called-so");
        pages.put("running", "/executions/" + seededConsole.running());
        pages.put("batch", "/batches/" + seededConsole.batch());
        pages.put("batches", "/batches");
        pages.put("batch-new", "/batches/new?capability=fees.add");
        pages.put("queue", "/queue");
        pages.put("completed", "/executions/" + seededConsole.completed());
        pages.put("failed", "/executions/" + seededConsole.failed());
        pages.put("waiting", "/executions/" + seededConsole.waiting());
        pages.put("dry", "/executions/" + seededConsole.dryRun());
        pages.put("journal", "/executions/" + seededConsole.completed() + "?tab=journal");
        pages.put("files", "/executions/" + seededConsole.completed() + "?tab=files");
        pages.put("details", "/executions/" + seededConsole.completed() + "?tab=details");
        pages.put("compare", "/executions/" + seededConsole.rerun() + "?tab=diff");
        pages.put("rerun", "/executions/" + seededConsole.completed() + "/rerun");
        pages.put("submit", "/submit");
        pages.put("approvals", "/approvals");
        pages.put("scripts", "/scripts");
        pages.put("script", "/scripts/fees.season");
        pages.put("capabilities", "/capabilities");
        pages.put("capability", "/capabilities/fees.add");
        pages.put("filters", "/executions?label=team%3Abilling&since=P7D");
        pages.put("audit", "/audit");
        pages.put("tools", "/tools");
        pages.put("tool-graph", "/tool-graph");
        pages.put("tool-graph-around", "/tool-graph?tool=demo.add");
        pages.put("schedules", "/schedules");
        pages.put("schedule-new", "/schedules/new");
        pages.put("backends", "/backends");
        pages.put("dead-letters", "/dead-letters");
        pages.put("nested", "/executions/" + seededConsole.nested());
        pages.put("callbacks", "/callbacks");
        pages.put("secrets", "/secrets");
        pages.put("variables", "/variables");
        pages.put("costs", "/costs");
        pages.put("costs-by-key", "/costs?by=key&since=30");
        pages.put("tenants", "/tenants");
        pages.put("policies", "/policies");
        pages.put("keys", "/keys");
        pages.put("key-new", "/keys");
        pages.put("key-grants", "/keys");
        pages.put("key-delete", "/keys");
        pages.put("secret-new", "/secrets");
        pages.put("variable-new", "/variables");
        pages.put("deprecate", "/capabilities/fees.add");
        pages.put("schedule-delete", "/schedules");
        pages.put("quotas", "/tenants");
        pages.put("no-such-page", "/no-such-page");
        return pages;
    }

    @ParameterizedTest
    @CsvSource({"1360, LIGHT", "1360, DARK", "400, LIGHT", "400, DARK"})
    void everyPageIsAccessible(int width, ColorScheme scheme) {
        List<String> faults = new ArrayList<>();
        try (BrowserSession visitor = BrowserSession.openForInspection(chromium, server.url(), width, scheme)) {
            String suffix = "-" + width + "-" + scheme.name().toLowerCase(Locale.ROOT);
            visitor.goTo("");
            assertThat(visitor.page().getByLabel("API key")).isVisible();
            checkAccessibility(visitor.page(), "login" + suffix, faults);
            visitor.logIn(server.adminKey());
            pages().forEach((name, path) -> {
                visitor.goTo(path);
                assertThat(visitor.page().locator("main .loading")).hasCount(0);
                assertThat(visitor.page()
                                .locator("main .panel, main .rows, main .empty, main .panel-body")
                                .first())
                        .isVisible();
                openDetails(visitor.page(), name);
                visitor.page().waitForTimeout(name.equals("queue") ? 2_000 : 300);
                checkAccessibility(visitor.page(), name + suffix, faults);
            });
            faults.addAll(visitor.browserErrors());
        }
        try (BrowserSession anybody = BrowserSession.openForInspection(chromium, server.url(), width, scheme)) {
            anybody.page().navigate(server.url() + createApprovalLink());
            assertThat(anybody.button("Approve")).isVisible();
            checkAccessibility(
                    anybody.page(), "link-" + width + "-" + scheme.name().toLowerCase(Locale.ROOT), faults);
            faults.addAll(anybody.browserErrors());
        }
        assertThat(faults).isEmpty();
    }

    /** Creates an approver and returns the path of an approval link for the request that waits. */
    private String createApprovalLink() {
        RestClient approver = server.api()
                .withKey(server.api()
                        .post("/api/v1/api-keys", "{\"name\": \"Grace\", \"roles\": [\"approver\"]}")
                        .expectStatus(201)
                        .json()
                        .path("key")
                        .asText());
        String id = Await.untilPresent(
                "the town asks",
                Duration.ofSeconds(60),
                () -> Optional.of(approver.get("/api/v1/approvals")
                                .json()
                                .at("/items/0/id")
                                .asText())
                        .filter(found -> !found.isEmpty()));
        return approver.post("/api/v1/approvals/" + id + "/links", "{}")
                .expectStatus(201)
                .json()
                .path("path")
                .asText();
    }

    /** The button that opens the dialog of a page, by the name of the page. */
    private static final Map<String, String> DIALOG_BUTTONS = Map.of(
            "key-new", "New key",
            "key-grants", "Grants…",
            "key-delete", "Delete",
            "secret-new", "New secret",
            "variable-new", "New variable",
            "deprecate", "Deprecate…",
            "schedule-delete", "Delete…",
            "quotas", "Change quotas…");

    /** Opens the details that a page shows only on demand. */
    private static void openDetails(Page page, String name) {
        if (DIALOG_BUTTONS.containsKey(name)) {
            page.getByRole(
                            AriaRole.BUTTON,
                            new Page.GetByRoleOptions()
                                    .setName(DIALOG_BUTTONS.get(name))
                                    .setExact(true))
                    .first()
                    .click();
            assertThat(page.locator("dialog[open]")).isVisible();
        } else if (name.equals("batch-new")) {
            page.locator("input[type=file]")
                    .setInputFiles(new FilePayload(
                            "fees.csv",
                            "text/csv",
                            "price,note\n12,first\nmuch,second\n40,third\n".getBytes(StandardCharsets.UTF_8)));
            assertThat(page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("The first rows")))
                    .isVisible();
        } else if (name.equals("completed")) {
            page.locator(".call-row").nth(1).click();
        } else if (name.equals("queue")) {
            assertThat(page.getByText("Isolated by")).isVisible();
            assertThat(page.getByText(java.util.regex.Pattern.compile("^(not isolated|isolated)$")))
                    .isVisible();
        } else if (name.equals("tools")) {
            page.locator(".tool summary").first().click();
        } else if (name.equals("schedules")) {
            page.getByText("Next times, executions, script").first().click();
            assertThat(page.locator(".schedule-more .code")).isVisible();
        } else if (name.equals("policies")) {
            page.getByText("Explain with the rules in force").click();
        } else if (name.equals("approvals")) {
            page.getByText("Edit the arguments").first().click();
        }
    }

    /**
     * Writes a screenshot if one is wanted, and adds accessibility violations and horizontal overflow to the faults.
     */
    static void checkAccessibility(Page page, String name, List<String> faults) {
        page.evaluate(AWAIT_ANIMATIONS);
        String pictures = System.getProperty("console.pictures", "");
        if (!pictures.isEmpty()) {
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of(pictures, name + ".png")));
        }
        new AxeBuilder(page)
                .setLegacyMode(true).analyze().getViolations().stream()
                        .filter(violation -> List.of("serious", "critical").contains(violation.getImpact()))
                        .forEach(violation -> violation
                                .getNodes()
                                .forEach(node -> faults.add(name + ": " + violation.getId() + " at " + node.getTarget()
                                        + " " + node.getFailureSummary())));
        Object wider =
                page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth");
        if (((Number) wider).intValue() > 0) {
            faults.add(name + " is " + wider + " pixels wider than the window");
        }
    }

    @Test
    void firstLoadStaysWithinItsSizeLimit() {
        try (BrowserSession visitor = BrowserSession.open(chromium, server.url())) {
            // Reads the sizes later, because the browser cannot report them for requests that end with the page.
            List<Request> finished = new ArrayList<>();
            visitor.page().onRequestFinished(finished::add);
            visitor.logIn(server.adminKey());
            assertThat(visitor.heading("Executions")).isVisible();
            assertThat(List.copyOf(finished).stream()
                            .mapToInt(request -> request.sizes().responseBodySize)
                            .sum())
                    .isBetween(1, MAX_FIRST_LOAD_BYTES);
        }
    }
}
