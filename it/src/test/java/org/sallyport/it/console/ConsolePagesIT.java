package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.Servers;

/**
 * Every page, wide and narrow, by day and by night: everybody can use it, and nothing of it lies beside the window. {@code
 * -Dconsole.pictures=<directory>} has pictures taken.
 */
@ExtendWith(Servers.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsolePagesIT {
    private static final int LARGEST_FIRST_LOAD = 400_000;

    private final Chromium chromium = Chromium.start();
    private final SallyportServer server = ServerSetup.fresh("console-pages")
            .with("sallyport.tool-graph.settle-millis", "200")
            .with("sallyport.callbacks.hosts", "127.0.0.1")
            .with("sallyport.callbacks.private", "true")
            .with("sallyport.callbacks.retry-millis", "100")
            .with("sallyport.callbacks.attempts", "2")
            .start();
    private final Town town = Town.build(server);

    @AfterAll
    void end() {
        chromium.close();
        server.close();
    }

    private Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("executions", "/executions");
        pages.put("nothing", "/executions?q=nothing-is-called-so");
        pages.put("running", "/executions/" + town.running());
        pages.put("batch", "/batches/" + town.batch());
        pages.put("batches", "/batches");
        pages.put("queue", "/queue");
        pages.put("completed", "/executions/" + town.completed());
        pages.put("failed", "/executions/" + town.failed());
        pages.put("waiting", "/executions/" + town.waiting());
        pages.put("dry", "/executions/" + town.dry());
        pages.put("journal", "/executions/" + town.completed() + "?tab=journal");
        pages.put("files", "/executions/" + town.completed() + "?tab=files");
        pages.put("details", "/executions/" + town.completed() + "?tab=details");
        pages.put("compare", "/executions/" + town.again() + "?tab=diff");
        pages.put("rerun", "/executions/" + town.completed() + "/rerun");
        pages.put("submit", "/submit");
        pages.put("approvals", "/approvals");
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
        pages.put("nested", "/executions/" + town.nests());
        pages.put("callbacks", "/callbacks");
        pages.put("secrets", "/secrets");
        pages.put("costs", "/costs");
        pages.put("costs-by-key", "/costs?by=key&since=30");
        pages.put("tenants", "/tenants");
        pages.put("policies", "/policies");
        pages.put("keys", "/keys");
        pages.put("no-such-page", "/no-such-page");
        return pages;
    }

    @ParameterizedTest
    @CsvSource({"1360, LIGHT", "400, DARK"})
    void everybodyCanUseEveryPage(int width, ColorScheme scheme) {
        List<String> faults = new ArrayList<>();
        try (Visitor visitor = Visitor.examined(chromium, server.url(), width, scheme)) {
            String suffix = "-" + width + "-" + scheme.name().toLowerCase(java.util.Locale.ROOT);
            visitor.goTo("");
            assertThat(visitor.page().getByLabel("API key")).isVisible();
            examine(visitor.page(), "login" + suffix, faults);
            visitor.logIn(server.adminKey());
            pages().forEach((name, path) -> {
                visitor.goTo(path);
                assertThat(visitor.page().locator("main .loading")).hasCount(0);
                assertThat(visitor.page()
                                .locator("main .panel, main .rows, main .empty, main .panel-body")
                                .first())
                        .isVisible();
                prepare(visitor.page(), name);
                visitor.page().waitForTimeout(name.equals("queue") ? 2_000 : 300);
                examine(visitor.page(), name + suffix, faults);
            });
            faults.addAll(visitor.complaints());
        }
        assertThat(faults).isEmpty();
    }

    /** Opens what a page shows when one asks for it. */
    private static void prepare(Page page, String name) {
        if (name.equals("completed")) {
            page.locator(".call-row").nth(1).click();
        } else if (name.equals("tools")) {
            page.locator(".tool summary").first().click();
        } else if (name.equals("schedules")) {
            page.getByText("Next times, executions, script").first().click();
            assertThat(page.locator(".schedule-more .code")).isVisible();
        } else if (name.equals("policies")) {
            page.getByText("Ask the rules in force").click();
        } else if (name.equals("approvals")) {
            page.getByText("Edit the arguments").first().click();
        }
    }

    /** Takes a picture, and adds what somebody could not use or see. */
    static void examine(Page page, String name, List<String> faults) {
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
    void theFirstLoadIsSmall() {
        try (Visitor visitor = Visitor.at(chromium, server.url())) {
            // Asked for their sizes later: those that end with the page cannot be asked any more.
            List<Request> finished = new ArrayList<>();
            visitor.page().onRequestFinished(finished::add);
            visitor.logIn(server.adminKey());
            assertThat(visitor.heading("Executions")).isVisible();
            assertThat(List.copyOf(finished).stream()
                            .mapToInt(request -> request.sizes().responseBodySize)
                            .sum())
                    .isBetween(1, LARGEST_FIRST_LOAD);
        }
    }
}
