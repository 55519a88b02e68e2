package org.sallyport.it.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.ApiKeyInserter;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/**
 * A list of 100,000 executions behaves like one of 100: no row is missing or duplicated, and the list does not jump.
 */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleLongListIT {
    private static final int STORED_EXECUTIONS = Integer.getInteger("console.stored", 100_000);
    private static final int PAGE_ROWS = 500;
    private static final Duration TIMEOUT = Duration.ofSeconds(180);

    /**
     * Inserts executions with version 7 ids one millisecond apart, so that the list is in the order of the numbers. The
     * oldest one is one hour old.
     */
    private static final String INSERT_NUMBERS = """
            create local temporary table n as select x,
              cast(cast((? + x) * 65536 + 28672 as binary(8)) || cast(-9223372036854775808 + x as binary(8)) as uuid) \
            as id
            from system_range(1, ?)
            """;

    private static final String INSERT_EXECUTIONS = """
            insert into execution (id, tenant, submitter, state, language, priority, code_preview, labels, \
            wall_millis, durability,
              tier, attempt, created_at, started_at, finished_at, next_check_at)
            select id, 'default', 'k', case when mod(x, 1000) = 0 then 'FAILED' else 'COMPLETED' end, 'JAVASCRIPT', 4, \
            'return ' || x,
              '{}', 1000, 'journal', 'SANDBOX', 1, current_timestamp, current_timestamp, current_timestamp, \
            current_timestamp from n
            """;

    private static final String INSERT_INPUTS = """
            insert into execution_input (execution_id, code, args, context, grants, cpu_millis, heap_bytes, \
            tool_calls, output_chars)
            select id, 'return ' || x, 'null', 'null', '[]', 1, 1, 1, 1 from n
            """;

    /** The numbers of the rendered rows, from the top. */
    private static final String DRAWN_NUMBERS =
            "() => [...document.querySelectorAll('tr[data-id] .row-link')].map((link) => "
                    + "Number(link.textContent.slice(7)))";

    /** Id of the row at one third of the window height, and the vertical position of its top edge. */
    private static final String ROW_AT_FOCUS = """
            () => {
              const row = document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest('tr[data-id]');
              return row ? `${row.dataset.id} ${Math.round(row.getBoundingClientRect().top)}` : '';
            }
            """;

    private static final String IS_AT_END = "() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1";

    /**
     * Returns when the page has scrolled and its position is stable, when the page is at its end, or after a minute.
     */
    private static final String AWAIT_SCROLLED = """
            async (before) => {
              const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
              const atEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
              const end = performance.now() + 60000;
              let last = before;
              let still = 0;
              while (still < 2 && performance.now() < end) {
                await frame();
                still = scrollY === last && (scrollY !== before || atEnd()) ? still + 1 : 0;
                last = scrollY;
              }
            }
            """;

    /**
     * Reads at most {@code most} stretches of the list as fast as the service answers. Returns the first and the last
     * number of each.
     */
    private static final String READ_ALL_PAGES = """
            async (most) => {
              const links = () => [...document.querySelectorAll('tr[data-id] .row-link')];
              const number = (link) => Number(link.textContent.slice(7));
              const button = (name) => [...document.querySelectorAll('.stretches button')].find((it) => it.textContent \
            === name);
              const frame = () => new Promise((done) => requestAnimationFrame(done));
              const until = async (what, holds) => {
                const end = performance.now() + 60000;
                while (!holds()) {
                  if (performance.now() > end) throw new Error('waited for ' + what + ' after ' + \
            JSON.stringify(seen.at(-1)));
                  await frame();
                }
              };
              const seen = [];
              for (let stretch = 0; stretch < most; stretch++) {
                const before = seen.at(-1)?.[1] ?? Infinity;
                await until('the next stretch', () => links().length > 20 && scrollY === 0 && number(links()[0]) < \
            before);
                const first = number(links()[0]);
                const through = () => { scrollTo(0, document.documentElement.scrollHeight); return button('Older') || \
            number(links().at(-1)) === 1; };
                await until('its end', through);
                await until('its last row', () => { scrollTo(0, document.documentElement.scrollHeight); return \
            links().length && first - number(links().at(-1)) === 499; });
                seen.push([first, number(links().at(-1))]);
                if (!button('Older')) break;
                button('Older').click();
              }
              return seen.flat();
            }
            """;

    private final ChromiumBrowser chromium = ChromiumBrowser.start();
    private SallyportServer server;
    private RestClient api;
    private BrowserSession browser;

    @BeforeAll
    void insertExecutions() throws SQLException {
        ServerSetup fresh = ServerSetup.create("console-long-list");
        server = fresh.with("sallyport.db.url", ApiKeyInserter.sharedDatabaseUrl(fresh.dataDirectory()))
                .with("h2.bindAddress", "127.0.0.1")
                .start();
        api = server.api();
        try (Connection connection = DriverManager.getConnection(
                        ApiKeyInserter.sharedDatabaseUrl(server.dataDirectory()) + ";IFEXISTS=TRUE", "sallyport", "");
                PreparedStatement numbers = connection.prepareStatement(INSERT_NUMBERS);
                Statement statement = connection.createStatement()) {
            numbers.setLong(1, System.currentTimeMillis() - Duration.ofHours(1).toMillis());
            numbers.setInt(2, STORED_EXECUTIONS);
            numbers.execute();
            assertThat(statement.executeUpdate(INSERT_EXECUTIONS)).isEqualTo(STORED_EXECUTIONS);
            assertThat(statement.executeUpdate(INSERT_INPUTS)).isEqualTo(STORED_EXECUTIONS);
        }
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

    private Locator row(int number) {
        return page().getByText("return " + number, new Page.GetByTextOptions().setExact(true));
    }

    @SuppressWarnings("unchecked")
    private List<Integer> drawnNumbers() {
        return (List<Integer>) page().evaluate(DRAWN_NUMBERS);
    }

    private String rowAtFocus() {
        return (String) page().evaluate(ROW_AT_FOCUS);
    }

    /** Turns the wheel; not at the end of the list, where the browser may add the turn to the next one. */
    private void scroll(int pixels) {
        if (pixels > 0 && (boolean) page().evaluate(IS_AT_END)) {
            return;
        }
        Object before = page().evaluate("() => scrollY");
        page().mouse().move(700, 500);
        page().mouse().wheel(0, pixels);
        // Waits after each turn of the wheel, because a busy machine would combine several turns into one of thousands
        // of pixels.
        page().evaluate(AWAIT_SCROLLED, before);
    }

    @Test
    @Order(1)
    void everyRowIsShownOnceAndInOrder() {
        browser.goTo("/executions");
        assertThat(row(STORED_EXECUTIONS)).isVisible();
        List<Integer> read = new ArrayList<>();
        Await.until("a stretch is read", TIMEOUT, () -> {
            List<Integer> now = drawnNumbers();
            assertThat(now)
                    .as("rows that are drawn")
                    .isEqualTo(IntStream.range(0, now.size())
                            .mapToObj(i -> now.get(0) - i)
                            .toList());
            int last = read.isEmpty() ? STORED_EXECUTIONS + 1 : read.get(read.size() - 1);
            assertThat(now.get(0)).as("no row was passed over").isGreaterThanOrEqualTo(last - 1);
            now.stream().filter(number -> number < last).forEach(read::add);
            scroll(600);
            return browser.button("Older").isVisible()
                    && read.get(read.size() - 1) == STORED_EXECUTIONS - PAGE_ROWS + 1;
        });
        assertThat(read)
                .isEqualTo(IntStream.range(0, PAGE_ROWS)
                        .mapToObj(i -> STORED_EXECUTIONS - i)
                        .toList());
    }

    /** The text below the rows must not be the element whose position the browser keeps. */
    @Test
    @Order(5)
    void positionIsKeptWhenRowsAreAddedAtTheEnd() {
        List<Route> held = new ArrayList<>();
        Consumer<Route> hold = held::add;
        page().route(Pattern.compile(".*/api/v1/executions\\?.*cursor=.*"), hold);
        browser.goTo("/executions");
        assertThat(row(STORED_EXECUTIONS)).isVisible();
        Await.until("the end of the first rows is shown", TIMEOUT, () -> {
            page().evaluate("() => scrollTo(0, document.documentElement.scrollHeight)");
            page().waitForTimeout(50);
            return !held.isEmpty() && (boolean) page().evaluate(IS_AT_END);
        });
        assertThat(page().locator(".list-foot").first()).isVisible();
        Object before = page().evaluate("() => scrollY");
        Object height = page().evaluate("() => document.documentElement.scrollHeight");

        held.forEach(Route::resume);

        page().waitForFunction("(height) => document.documentElement.scrollHeight > height + 1000", height);
        assertThat(page().evaluate("() => scrollY")).isEqualTo(before);
    }

    @Test
    @Order(2)
    @SuppressWarnings("unchecked")
    void lastRowIsReachedPageByPage() {
        browser.goTo("/executions");
        List<Integer> ends = (List<Integer>) page().evaluate(READ_ALL_PAGES, STORED_EXECUTIONS / PAGE_ROWS);
        assertThat(ends)
                .isEqualTo(IntStream.range(0, STORED_EXECUTIONS / PAGE_ROWS)
                        .boxed()
                        .flatMap(stretch -> List.of(
                                STORED_EXECUTIONS - stretch * PAGE_ROWS,
                                STORED_EXECUTIONS - (stretch + 1) * PAGE_ROWS + 1)
                                .stream())
                        .toList());
        assertThat(browser.button("Older")).hasCount(0);
        assertThat(row(1)).isVisible();
    }

    @Test
    @Order(3)
    void pagingBackVisitsTheSamePages() {
        browser.goTo("/executions");
        for (int stretch = 1; stretch <= 2; stretch++) {
            Await.until("the end of this part of the list", TIMEOUT, () -> {
                scroll(4_000);
                return browser.button("Older").isVisible();
            });
            browser.button("Older").click();
            assertThat(row(STORED_EXECUTIONS - stretch * PAGE_ROWS)).isVisible();
        }
        page().reload();
        assertThat(row(STORED_EXECUTIONS - 2 * PAGE_ROWS)).isVisible();
        browser.button("Newer").first().click();
        assertThat(row(STORED_EXECUTIONS - PAGE_ROWS)).isVisible();
        page().goBack();
        assertThat(row(STORED_EXECUTIONS - 2 * PAGE_ROWS)).isVisible();
        browser.button("Newer").first().click();
        assertThat(row(STORED_EXECUTIONS - PAGE_ROWS)).isVisible();
        browser.button("Newer").first().click();
        assertThat(row(STORED_EXECUTIONS)).isVisible();
        assertThat(browser.button("Newer")).hasCount(0);
    }

    @Test
    @Order(4)
    void newRowsDoNotMoveTheReaderAndBackRestoresThePosition() {
        browser.goTo("/executions");
        assertThat(row(STORED_EXECUTIONS)).isVisible();
        Await.until("row 300", TIMEOUT, () -> {
            scroll(900);
            return drawnNumbers().contains(STORED_EXECUTIONS - 300);
        });
        page().waitForFunction("() => !document.querySelector('.list-foot')?.textContent.includes('Loading')");
        String before = rowAtFocus();
        assertThat(before).isNotEmpty();
        List<String> fresh = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            fresh.add(api.run(SubmissionBody.javascript("return 'new'"))
                    .path("id")
                    .asText());
        }
        assertThat(browser.button("Show 3 new")).isVisible();
        assertThat(rowAtFocus()).isEqualTo(before);

        String id = before.substring(0, before.indexOf(' '));
        page().locator("tr[data-id='" + id + "'] a").click();
        assertThat(page().locator("h1 .badge")).hasText("completed");
        assertThat(page()).hasURL(Pattern.compile(".*/executions/" + id));
        assertThat((Number) page().evaluate("() => scrollY")).isEqualTo(0);
        page().goBack();
        assertThat(page().locator("tr[data-id='" + id + "']")).isVisible();
        Await.until("he is where he was", TIMEOUT, () -> rowAtFocus().equals(before));
        assertThat(browser.button("Show 3 new")).isVisible();
        page().waitForTimeout(2_500);
        assertThat(rowAtFocus()).as("after another look").isEqualTo(before);

        browser.button("Show 3 new").click();
        assertThat(page().locator("tr[data-id]").first()).hasAttribute("data-id", fresh.get(2));
        assertThat(row(STORED_EXECUTIONS)).isVisible();
        // A new visit begins at the newest execution.
        page().locator("tr[data-id='" + fresh.get(1) + "'] a").click();
        page().locator("nav[aria-label='Pages']").getByText("Executions").click();
        assertThat(page().locator("tr[data-id]").first()).hasAttribute("data-id", fresh.get(2));
    }
}
