package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.microsoft.playwright.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
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
import org.sallyport.it.harness.TestJson;

/**
 * Names and descriptions that contain HTML, URLs and bidirectional control characters: every page shows them as plain
 * text and within the window.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleEscapingIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final char BIDI_OVERRIDE = '\u202e';
    private static final String HOSTILE_NAME =
            "<img src=x onerror=alert(1)><script>alert(2)</script></textarea>javascript:alert(3)" + BIDI_OVERRIDE
                    + "desrever" + "W".repeat(80);

    /**
     * Finds elements that were created from text, text with a bidirectional override, and content that overflows the
     * window.
     */
    private static final String FIND_VIOLATIONS = """
            () => {
              const faults = [];
              const made = document.querySelectorAll("img[onerror], main script, dialog script, [href^='javascript:'], \
            [src^='javascript:'], [srcdoc]");
              if (made.length) faults.push(`has become ${made[0].outerHTML}`);
              if (document.body.innerText.includes("\\u202e")) faults.push("is turned about");
              if (document.title.includes("\\u202e")) faults.push("has a title that is turned about");
              const root = document.documentElement;
              if (root.scrollWidth > root.clientWidth) faults.push(`is ${root.scrollWidth - root.clientWidth} pixels \
            wider than the window`);
              return faults;
            }""";

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server =
            ServerSetup.create("console-strange-names").start();
    private final RestClient api = server.api();

    @AfterAll
    void end() {
        chromium.close();
        server.close();
    }

    private String post(String path, ObjectNode body) {
        var answer = api.post("/api/v1" + path, TestJson.write(body));
        assertThat(answer.status()).as(answer.toString()).isIn(200, 201);
        return answer.json().path("id").asText();
    }

    private static ObjectNode object() {
        return TestJson.object();
    }

    /**
     * Creates objects with hostile texts in every field that allows them. Returns the paths of the pages that show
     * them, by name.
     */
    private Map<String, String> createHostileResources() {
        ObjectNode key = object().put("name", HOSTILE_NAME);
        key.putArray("roles").add("submitter");
        post("/api-keys", key);

        ObjectNode backend = object().put("name", "shop").put("kind", "http");
        ObjectNode settings = backend.putObject("settings").put("baseUrl", "https://shop.example");
        settings.putObject("operations")
                .putObject("find")
                .put("description", HOSTILE_NAME)
                .put("method", "GET")
                .put("path", "/find");
        post("/backends", backend);

        String name = String.join(".", "c" + "x".repeat(39), "d" + "y".repeat(39), "e" + "z".repeat(39));
        post(
                "/capabilities",
                object().put("name", name)
                        .put("version", "1.0.0")
                        .put("description", HOSTILE_NAME)
                        .put("code", "// " + HOSTILE_NAME + "\nreturn 1"));
        post("/capabilities/" + name + "/versions/1.0.0/deprecate", object().put("reason", HOSTILE_NAME));

        String script = "s" + "x".repeat(99);
        api.run(SubmissionBody.javascript("// " + HOSTILE_NAME + "\nreturn 1").with("cacheAs", "\"" + script + "\""));

        ObjectNode schedule = object().put("name", "s" + "x".repeat(90)).put("everyMillis", 3_600_000);
        schedule.putObject("run").put("code", "// " + HOSTILE_NAME + "\nreturn 1");
        String planned = post("/schedules", schedule);
        post("/schedules/" + planned + "/pause", object().put("reason", HOSTILE_NAME));

        ObjectNode policy = object().put("comment", HOSTILE_NAME);
        policy.putObject("document")
                .putArray("rules")
                .addObject()
                .put("name", "mail")
                .put("decision", "ask")
                .put("reason", HOSTILE_NAME)
                .putArray("tools")
                .add("demo.send_mail");
        post("/policies", policy);

        SubmissionBody asking = SubmissionBody.javascript(
                        "await demo.send_mail({ to: args, subject: args, body: args }); return 1")
                .args(TestJson.write(TestJson.array().add(HOSTILE_NAME)).replaceAll("^\\[|]$", ""))
                .with("intent", TestJson.array().add(HOSTILE_NAME).get(0))
                .label("l" + "x".repeat(40), HOSTILE_NAME);
        String asks = api.submit(asking);
        Await.until(
                "it asks",
                TIMEOUT,
                () -> api.getExecution(asks).path("state").asText().equals("WAITING"));
        String failed = api.run(SubmissionBody.javascript("await demo.fail({ message: args, code: 'E1' })")
                        .args(TestJson.write(TestJson.array().add(HOSTILE_NAME)).replaceAll("^\\[|]$", "")))
                .path("id")
                .asText();

        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("/executions", "alert(1)");
        pages.put("/executions/" + asks, "alert(1)");
        pages.put("/executions/" + asks + "?tab=details", "alert(1)");
        pages.put("/executions/" + asks + "?tab=journal", "alert(1)");
        pages.put("/executions/" + failed, "alert(1)");
        pages.put("/executions/" + failed + "/rerun", "Run again");
        pages.put("/approvals", "alert(1)");
        pages.put("/keys", "alert(1)");
        pages.put("/tools?backend=shop", "alert(1)");
        pages.put("/backends", "shop");
        pages.put("/scripts", "alert(1)");
        pages.put("/scripts/" + script, "alert(1)");
        pages.put("/capabilities", "alert(1)");
        pages.put("/capabilities/" + name, "alert(1)");
        pages.put("/schedules", "alert(1)");
        pages.put("/policies", "alert(1)");
        pages.put("/tool-graph", "graph");
        pages.put("/tenants?tenant=" + "x".repeat(150), "Tenant");
        pages.put("/audit", "Audit log");
        pages.put("/costs", "Costs");
        return pages;
    }

    @Test
    void hostileNamesAreShownAsTextWithinTheWindow() {
        Map<String, String> pages = createHostileResources();
        List<String> faults = new ArrayList<>();
        try (BrowserSession visitor =
                BrowserSession.open(chromium, server.url()).logIn(server.adminKey())) {
            Page page = visitor.page();
            pages.forEach((path, shown) -> {
                page.setViewportSize(1360, 900);
                visitor.goTo(path);
                assertThat(page.locator("main .loading")).hasCount(0);
                assertThat(page.locator("main")).containsText(shown);
                for (int width : List.of(1360, 400)) {
                    page.setViewportSize(width, 900);
                    ((List<?>) page.evaluate(FIND_VIOLATIONS))
                            .forEach(violation -> faults.add(path + " at " + width + " " + violation));
                }
            });
            faults.addAll(visitor.browserErrors());
            faults.addAll(visitor.foreignRequests());
        }
        assertThat(faults).isEmpty();
    }
}
