package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.PinnedTool;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

/** What is known of backends while they change. */
class BackendsTest {
    private static final Json SETTINGS = new Json("{}");

    private final Slow slow = new Slow();
    private final HandScheduler time = new HandScheduler();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Backends backends = new Backends(
            new MemoryBackends(),
            new Catalog(),
            new ConnectorHost(List.of(), new Nowhere(), InstantSource.system(), 10_000_000, "node-1"),
            queue -> () -> {},
            List.of(slow),
            MemoryVault.ACCESS,
            new Backends.Threads(time, Runnable::run),
            InstantSource.system());

    /** A kind that takes its time to open. */
    private static final class Slow implements BackendKind {
        private final CountDownLatch opening = new CountDownLatch(2);
        private final CountDownLatch go = new CountDownLatch(1);
        private LiveBackend.@Nullable Listener first;

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Set<String> secretSettings() {
            return Set.of();
        }

        @Override
        public void check(BackendSettings settings) {}

        @Override
        public LiveBackend open(BackendDefinition definition, LiveBackend.Listener listener) {
            opening.countDown();
            if (first == null) {
                first = listener;
            } else {
                try {
                    assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return new Silent();
        }
    }

    /** A connection that never answers. */
    private static final class Silent implements LiveBackend {
        @Override
        public void start() {}

        @Override
        public CompletionStage<ToolResult> call(Call call) {
            return new CompletableFuture<>();
        }

        @Override
        public void cancel(CallId call) {}

        @Override
        public void close() {}
    }

    /** Sends nothing. */
    private static final class Nowhere implements MessageSender {
        @Override
        public void send(OutgoingMessage message) {}

        @Override
        public int waiting(String queue, int most) {
            return 0;
        }

        @Override
        public void ping() {}
    }

    @AfterEach
    void nothingIsLeft() {
        slow.go.countDown();
        backends.close();
        threads.shutdownNow();
        time.shutdownNow();
    }

    @Test
    void whoAsksForToolsDoesNotWaitForABackendThatIsOpened() throws Exception {
        backends.start(List.of());
        backends.add("b", "slow", SETTINGS, true, "t");
        Objects.requireNonNull(slow.first)
                .tools(List.of(new ToolDefinition("x", "x", "", SETTINGS, Optional.empty(), ToolHints.EFFECT)));

        CompletableFuture<Optional<BackendView>> changed = CompletableFuture.supplyAsync(
                () -> backends.change("b", "slow", new Json("{\"timeoutMillis\":1000}"), true, "t"), threads);
        assertThat(slow.opening.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(CompletableFuture.supplyAsync(() -> backends.tools("b"), threads)
                        .get(30, TimeUnit.SECONDS))
                .extracting(PinnedTool::name)
                .containsExactly("x");
        assertThat(changed).isNotDone();

        slow.go.countDown();
        assertThat(changed.get(60, TimeUnit.SECONDS)).isPresent();
        assertThat(backends.tools("b")).extracting(PinnedTool::name).containsExactly("x");
        assertThat(backends.remove("b")).isTrue();
        assertThat(backends.tools("b")).isEmpty();
    }
}
