package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** The tool graph with zero to sixty tools, and schedules, at the console. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleToolGraphIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final int TOOLS = 60;

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private final SallyportServer server = ServerSetup.create("console-graph")
            .with("sallyport.tool-graph.ingest-delay-millis", "200")
            .start();
    private final RestClient api = server.api();
    private BrowserSession browser;

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
    }

    private Page page() {
        return browser.page();
    }

    private Locator toolNode(String name) {
        return page().locator(".graph-node[aria-label^='" + name + ":']");
    }

    @Test
    @Order(1)
    void emptyGraphExplainsHowToFillIt() {
        browser.goTo("/tool-graph");
        assertThat(page().getByText("No data yet")).isVisible();
        assertThat(page().locator(".empty").getByText("Run a script")).isVisible();
        takeScreenshot("graph-empty");
    }

    @Test
    @Order(2)
    void graphOfThreeToolsIsReadableAndNavigable() {
        for (int i = 0; i < 3; i++) {
            api.run(SubmissionBody.javascript(
                            "const n = await demo.add({ a: 1, b: 2 }); await demo.kv_put({ key: 'n', value: n }); "
                                    + "await demo.echo(n);")
                    .with("intent", "\"Settle the bookkeeping\""));
        }
        Await.until(
                "it is learned",
                TIMEOUT,
                () -> api.get("/api/v1/tool-graph").json().at("/nodes/0/calls").asInt() == 3);
        browser.goTo("/tool-graph");
        assertThat(page().locator(".graph-node")).hasCount(3);
        assertThat(page().locator(".graph-line")).hasCount(2);
        assertThat(page().locator(".graph-number").first()).hasText("3");
        assertThat(toolNode("demo.add"))
                .hasAttribute(
                        "aria-label",
                        java.util.regex.Pattern.compile("demo\\.add: called 3 times, 100 % succeeded, .* on average;"
                                + " then demo\\.kv_put 3 times"));
        Locator row = page().getByRole(AriaRole.ROW)
                .filter(new Locator.FilterOptions().setHasText("bookkeeping, settle"))
                .first();
        assertThat(row).isVisible();
        takeScreenshot("graph-3");
        // Uses only the keyboard: to the tool, to its neighborhood, and back.
        toolNode("demo.kv_put").focus();
        assertThat(page().locator(".graph-hot")).hasCount(2);
        page().keyboard().press("Enter");
        assertThat(page()).hasURL(java.util.regex.Pattern.compile(".*/tool-graph\\?tool=demo\\.kv_put$"));
        assertThat(toolNode("demo.kv_put")).hasAttribute("aria-current", "true");
        page().getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("around demo.kv_put"))
                .press("Enter");
        assertThat(page()).hasURL(java.util.regex.Pattern.compile(".*/tool-graph$"));
        browser.goTo("/tool-graph?tool=demo.slow");
        assertThat(page().getByText("No recorded execution called this tool.")).isVisible();
        browser.goTo("/tool-graph?tool=demo.nothing_so");
        assertThat(page().getByRole(AriaRole.ALERT)).containsText("there is no tool");
        browser.browserErrors().removeIf(text -> text.contains("404"));
    }

    @Test
    @Order(3)
    void graphOfSixtyToolsIsReadable() throws IOException {
        HttpServer shop = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        shop.createContext("/", exchange -> {
            byte[] answer = "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        shop.start();
        try {
            String operations = IntStream.range(0, TOOLS)
                    .mapToObj(i -> "\"" + toolName(i) + "\": {\"description\": \"Step " + i
                            + ".\", \"method\": \"GET\", \"path\": \"/" + i + "\"}")
                    .collect(Collectors.joining(", "));
            api.post(
                            "/api/v1/backends",
                            "{\"name\": \"shop\", \"kind\": \"http\", \"settings\": {\"baseUrl\": \"http://127.0.0.1:"
                                    + shop.getAddress().getPort() + "\", \"allowPrivate\": true, \"operations\": {"
                                    + operations + "}}}")
                    .expectStatus(201);
            Await.until(
                    "its tools are there",
                    TIMEOUT,
                    () -> api.get("/api/v1/tools?backend=shop")
                                    .json()
                                    .path("items")
                                    .size()
                            == TOOLS);
            // One path that is frequent, compared to which others are rare.
            api.run(SubmissionBody.javascript(
                    "for (let i = 0; i < 40; i++) { await shop.find_0(); await shop.check_0(); }"));
            // Twelve paths of five tools each that have similar beginnings, cross each other, and return.
            for (int run = 0; run < 36; run++) {
                api.run(SubmissionBody.javascript("""
                                const first = [0, 12, 24, 36, 48];
                                const names = args.names;
                                for (let at = 0; at < first.length; at++) {
                                  const own = first[at] + (args.run * (at === 2 ? 5 : 1)) % 12;
                                  await shop[names[own]]();
                                  if (args.run % 7 === at) await shop[names[first[at]]]();
                                }
                                """)
                        .args("{\"run\": " + run + ", \"names\": ["
                                + IntStream.range(0, TOOLS)
                                        .mapToObj(i -> "\"" + toolName(i) + "\"")
                                        .collect(Collectors.joining(", "))
                                + "]}"));
            }
        } finally {
            shop.stop(0);
        }
        Await.until(
                "it is learned",
                TIMEOUT,
                () -> api.get("/api/v1/tool-graph?limit=300")
                                .json()
                                .path("tools")
                                .asInt()
                        == TOOLS + 3);
        browser.goTo("/tool-graph?limit=60");
        assertThat(page().locator(".graph-node")).hasCount(60);
        assertThat(page().getByText("60 of 63 tools")).isVisible();
        assertThat(countOverlaps()).isZero();
        takeScreenshot("graph-60");
        assertThat(page().getByText("rare steps are not drawn")).isVisible();
        int few = page().locator(".graph-line").count();
        page().getByText("Show rare steps").click();
        assertThat(page().locator(".graph-line").nth(few)).isAttached();
        takeScreenshot("graph-60-rare");
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            try (BrowserSession other = BrowserSession.openForInspection(
                    chromium, server.url(), scheme == ColorScheme.DARK ? 400 : 1360, scheme)) {
                other.logIn(server.adminKey()).goTo("/tool-graph?limit=60");
                assertThat(other.page().locator(".graph-node")).hasCount(60);
                takeScreenshot(other.page(), "graph-60-" + scheme);
                assertThat(new AxeBuilder(other.page())
                                .setLegacyMode(true).analyze().getViolations().stream()
                                        .filter(violation ->
                                                List.of("serious", "critical").contains(violation.getImpact())))
                        .isEmpty();
            }
        }
    }

    private static String toolName(int tool) {
        return List.of("find", "check", "price", "reserve", "send").get(tool / 12) + "_" + tool % 12;
    }

    /** Number of overlapping boxes. */
    private int countOverlaps() {
        return ((Number) page().evaluate("""
                () => {
                  const boxes = [...document.querySelectorAll('.graph-box')].map((box) => box.getBoundingClientRect());
                  return boxes.filter((one, at) => boxes.some((other, index) => index > at
                    && one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < \
                one.bottom)).length;
                }""")).intValue();
    }

    private JsonNode findSchedule(String name) {
        for (JsonNode each :
                api.get("/api/v1/schedules").expectStatus(200).json().path("items")) {
            if (each.path("name").asText().equals(name)) {
                return each;
            }
        }
        return api.get("/api/v1/schedules").json().path("none");
    }

    @Test
    @Order(4)
    void scheduleIsCreatedRunPausedResumedAndDeleted() {
        browser.goTo("/schedules");
        page().getByText("Create the first schedule").click();
        assertThat(browser.heading("New schedule")).isVisible();
        assertThat(browser.button("Create the schedule")).isDisabled();
        page().getByLabel("Name").fill("each-night");
        page().getByLabel("Times (cron)").fill("99 * * * *");
        browser.button("Create the schedule").click();
        assertThat(page().getByRole(AriaRole.ALERT)).containsText("cron");
        page().getByText("each night at three").click();
        page().getByLabel("Time zone").fill("Europe/Berlin");
        page().getByLabel("If the previous run is still going").selectOption("queue");
        page().getByLabel("Missed runs").selectOption("none");
        takeScreenshot("schedule-new");
        browser.button("Create the schedule").click();
        assertThat(browser.heading("each-night")).isVisible();
        JsonNode schedule = findSchedule("each-night");
        assertThat(schedule.path("cron").asText()).isEqualTo("0 3 * * *");
        assertThat(schedule.path("zone").asText()).isEqualTo("Europe/Berlin");
        assertThat(schedule.path("overlap").asText()).isEqualTo("queue");
        assertThat(schedule.path("catchUp").asText()).isEqualTo("none");

        browser.button("Run now").click();
        assertThat(page().locator("h1 .badge")).hasText("completed");
        browser.goTo("/schedules");
        assertThat(page().locator(".panel .badge")).hasText("completed");
        page().getByText("Next times, executions, script").click();
        assertThat(page().locator(".times").first().locator("li")).hasCount(5);
        assertThat(page().locator(".schedule-more .code")).containsText("demo.add");
        takeScreenshot("schedules");

        browser.button("Pause…").click();
        page().getByLabel("Reason").fill("holidays");
        browser.button("Pause").click();
        assertThat(page().getByText("holidays")).isVisible();
        assertThat(findSchedule("each-night").path("paused").asBoolean()).isTrue();
        browser.button("Resume").click();
        assertThat(browser.button("Pause…")).isVisible();
        assertThat(findSchedule("each-night").path("paused").asBoolean()).isFalse();

        browser.button("Delete…").click();
        browser.button("Cancel").click();
        assertThat(browser.heading("each-night")).isVisible();
        browser.button("Delete…").click();
        browser.button("Delete the schedule").click();
        assertThat(page().getByText("No schedules yet")).isVisible();
        assertThat(findSchedule("each-night").isMissingNode()).isTrue();
        browser.browserErrors().removeIf(text -> text.contains("400"));
    }

    @Test
    @Order(5)
    void intervalScheduleOfACapabilityIsCreated() {
        api.post("/api/v1/capabilities", """
                {"name": "sum.up", "version": "1.0.0", "description": "Adds.", "code": "export default ({ a }) => a + \
                1;"}
                """).expectStatus(201);
        browser.goTo("/schedules/new");
        page().getByLabel("Name").fill("often");
        page().getByLabel("at a fixed interval").check();
        page().getByLabel("Every", new Page.GetByLabelOptions().setExact(true)).fill("2");
        page().getByLabel("Unit").selectOption("hours");
        page().getByLabel("a capability").check();
        page().getByLabel("Capability", new Page.GetByLabelOptions().setExact(true))
                .fill("sum.up");
        browser.button("Create the schedule").click();
        assertThat(browser.heading("often")).isVisible();
        assertThat(findSchedule("often").path("everyMillis").asLong()).isEqualTo(7_200_000);
        assertThat(page().getByText("every 2 h")).isVisible();
        page().getByText("Next times, executions, script").click();
        assertThat(page().locator(".schedule-more").getByText("sum.up")).isVisible();
    }

    @Test
    @Order(6)
    void auditorSeesNoScheduleButtons() {
        String key = api.post("/api/v1/api-keys", "{\"name\": \"Nosy\", \"roles\": [\"auditor\"]}")
                .expectStatus(201)
                .json()
                .path("key")
                .asText();
        try (BrowserSession auditor =
                BrowserSession.open(chromium, server.url()).logIn(key)) {
            auditor.goTo("/schedules");
            assertThat(auditor.heading("often")).isVisible();
            for (String button : List.of("Run now", "Pause…", "Delete…")) {
                assertThat(auditor.button(button)).hasCount(0);
            }
            assertThat(auditor.page().getByText("New schedule")).hasCount(0);
        }
    }

    @Test
    @Order(7)
    void scheduleOfRowsIsCreatedWithItsFile() {
        api.post("/api/v1/capabilities", """
                {"name": "sum.rows", "version": "1.0.0", "code": "return args.price", "inputSchema": {
                  "type": "object", "properties": {"price": {"type": "number"}}}}
                """).expectStatus(201);
        browser.goTo("/schedules/new");
        page().getByLabel("Name").fill("refunds");
        page().getByLabel("rows of a file").check();
        page().getByLabel("Capability", new Page.GetByLabelOptions().setExact(true))
                .fill("sum.rows");
        assertThat(page().getByText("Choose a file with rows.")).isVisible();
        chooseFile("price\n1\nmuch\n");
        browser.button("Create the schedule").click();
        assertThat(browser.heading("refunds")).isVisible();
        Locator card = page().locator(".cards > li").filter(new Locator.FilterOptions().setHasText("refunds"));
        assertThat(card.getByText("2 rows, 1 would be refused")).isVisible();
        assertThat(findSchedule("refunds").at("/batch/capability").asText()).isEqualTo("sum.rows");

        card.getByText("Replace rows…").click();
        chooseFile("price\n1\n2\n3\n");
        browser.button("Store").click();
        assertThat(card.getByText("3 rows")).isVisible();
        card.getByText("Run now").click();
        page().waitForURL(Pattern.compile(".*/batches/[0-9a-f-]{36}"));
        assertThat(browser.heading("3 of 3 have ended")).isVisible();
        browser.goTo("/schedules");
        card.getByText("Next times, batches, capability").click();
        assertThat(card.getByText("ended", new Locator.GetByTextOptions().setExact(true)))
                .isVisible();
    }

    private void chooseFile(String csv) {
        page().locator("input[type=file]")
                .setInputFiles(new FilePayload("rows.csv", "text/csv", csv.getBytes(StandardCharsets.UTF_8)));
    }

    private void takeScreenshot(String name) {
        takeScreenshot(page(), name);
    }

    private static void takeScreenshot(Page page, String name) {
        String pictures = System.getProperty("console.pictures", "");
        if (!pictures.isEmpty()) {
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of(pictures, name + ".png")));
        }
    }
}
