package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.ManualScheduler;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

class ToolListRefresherTest {
    private static final long MAX_PAUSE_MILLIS = 60_000;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final RandomGenerator NO_JITTER = () -> 0;

    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<McpToolList> received = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final ToolListRefresher refresher = new ToolListRefresher(
            new ReconnectBackoff(500, MAX_PAUSE_MILLIS, NO_JITTER),
            new ReconnectBackoff(ToolListRefresher.COALESCE_MILLIS, MAX_PAUSE_MILLIS, NO_JITTER),
            scheduler,
            Runnable::run,
            new ToolListRefresher.ToolListListener() {
                @Override
                public void onTools(McpToolList tools) {
                    received.add(tools);
                }

                @Override
                public void onListingFailed(Throwable why) {
                    failures.add(FailureMessages.of(why));
                }
            });
    private String tool = "a";
    private boolean changesWithEachList;
    private boolean failing;
    private int requests;

    private static McpToolList tools(String name) {
        return new McpToolList(
                List.of(new ToolDefinition(name, name, "", Json.EMPTY_OBJECT, Optional.empty(), ToolHints.EFFECT)),
                Optional.empty());
    }

    private CompletionStage<McpToolList> list() {
        requests++;
        if (changesWithEachList) {
            refresher.markChanged();
        }
        return failing
                ? CompletableFuture.failedFuture(new IllegalStateException("not now"))
                : CompletableFuture.completedFuture(tools(tool));
    }

    private void start() {
        refresher.start(tools("a"), this::list);
    }

    @Test
    void changesAreCoalesced() {
        refresher.markChanged();
        start();
        for (int i = 0; i < 1_000; i++) {
            refresher.markChanged();
        }
        scheduler.advance(HOUR_MILLIS);
        assertThat(requests).isEqualTo(1);
        assertThat(received).containsExactly(tools("a"));
    }

    @Test
    void serverThatReportsAChangeWithEachListIsAskedLessAndLess() {
        changesWithEachList = true;
        start();
        refresher.markChanged();
        scheduler.advance(HOUR_MILLIS);
        assertThat(requests).isBetween(60, 75);

        // The change is listed with the next request, and a tool list that changes is requested soon again.
        tool = "b";
        scheduler.advance(MAX_PAUSE_MILLIS);
        assertThat(received).contains(tools("b"));
        changesWithEachList = false;
        scheduler.advance(HOUR_MILLIS);
        tool = "c";
        refresher.markChanged();
        scheduler.advance(ToolListRefresher.COALESCE_MILLIS);
        assertThat(received).endsWith(tools("c"));
    }

    @Test
    void realChangesAreListedSoon() {
        start();
        for (int i = 0; i < 100; i++) {
            tool = "t" + i;
            refresher.markChanged();
            scheduler.advance(2 * ToolListRefresher.COALESCE_MILLIS);
            assertThat(received).endsWith(tools("t" + i));
        }
    }

    @Test
    void failedRequestIsRepeated() {
        failing = true;
        start();
        refresher.markChanged();
        scheduler.advance(1_000);
        assertThat(failures).isNotEmpty().containsOnly("not now");
        assertThat(received).isEmpty();
        failing = false;
        scheduler.advance(MAX_PAUSE_MILLIS);
        assertThat(received).containsExactly(tools("a"));
        refresher.close();
        refresher.markChanged();
        scheduler.advance(HOUR_MILLIS);
        assertThat(received).hasSize(1);
    }
}
