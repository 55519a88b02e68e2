package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolResult;

/** Reads of the registry while backends change. */
class BackendRegistryTest {
    private static final Json SETTINGS = new Json("{}");

    private final SlowBackendType slowType = new SlowBackendType();
    private final ManualScheduler time = new ManualScheduler();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final InMemoryBackendStore store = new InMemoryBackendStore();
    private final ToolCatalog catalog = new ToolCatalog();
    private final BackendRegistry backends = registry(catalog);

    private BackendRegistry registry(ToolCatalog filled) {
        return new BackendRegistry(
                store,
                filled,
                new ConnectorDispatcher(
                        List.of(), new DiscardingMessageSender(), InstantSource.system(), 10_000_000, "node-1"),
                queue -> () -> {},
                List.of(slowType, new BeanlessType()),
                VaultFixtures.NO_SECRETS,
                new BackendRegistry.BackendExecutors(time, Runnable::run),
                InstantSource.system());
    }

    /** A backend type whose second connection opens only when the test allows it. */
    private static final class SlowBackendType implements BackendType {
        private final CountDownLatch opening = new CountDownLatch(2);
        private final CountDownLatch openAllowed = new CountDownLatch(1);
        private BackendConnection.@Nullable ConnectionListener firstListener;

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
        public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
            opening.countDown();
            if (firstListener == null) {
                firstListener = listener;
            } else {
                try {
                    assertThat(openAllowed.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return new SilentConnection();
        }
    }

    /** The kind of built-in backends, on a node that has none. */
    private static final class BeanlessType implements BackendType {
        @Override
        public String name() {
            return "java";
        }

        @Override
        public Set<String> secretSettings() {
            return Set.of();
        }

        @Override
        public Optional<Set<String>> builtInNames() {
            return Optional.of(Set.of());
        }

        @Override
        public void check(BackendSettings settings) {}

        @Override
        public BackendConnection open(BackendDefinition definition, BackendConnection.ConnectionListener listener) {
            throw new AssertionError("opened " + definition.name());
        }
    }

    /** A connection that never answers. */
    private static final class SilentConnection implements BackendConnection {
        @Override
        public void start() {}

        @Override
        public CompletionStage<ToolResult> call(BackendRequest call) {
            return new CompletableFuture<>();
        }

        @Override
        public void cancel(CallId call) {}

        @Override
        public void close() {}
    }

    /** Discards all messages. */
    private static final class DiscardingMessageSender implements MessageSender {
        @Override
        public void send(OutgoingMessage message) {}

        @Override
        public int countWaiting(String queue, int maxCount) {
            return 0;
        }

        @Override
        public void ping() {}
    }

    @AfterEach
    void nothingIsLeft() {
        slowType.openAllowed.countDown();
        backends.close();
        threads.shutdownNow();
        time.shutdownNow();
    }

    @Test
    void listingToolsDoesNotWaitForAnOpeningBackend() throws Exception {
        backends.start(List.of());
        backends.add("b", "slow", SETTINGS, true, "t");
        Objects.requireNonNull(slowType.firstListener)
                .onToolsDeclared(
                        List.of(new ToolDefinition("x", "x", "", SETTINGS, Optional.empty(), ToolHints.EFFECT)));

        CompletableFuture<Optional<BackendSnapshot>> changed = CompletableFuture.supplyAsync(
                () -> backends.update("b", "slow", new Json("{\"timeoutMillis\":1000}"), true, "t"), threads);
        assertThat(slowType.opening.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(CompletableFuture.supplyAsync(() -> backends.tools("b"), threads)
                        .get(30, TimeUnit.SECONDS))
                .extracting(PinnedToolDefinition::name)
                .containsExactly("x");
        assertThat(changed).isNotDone();

        slowType.openAllowed.countDown();
        assertThat(changed.get(60, TimeUnit.SECONDS)).isPresent();
        assertThat(backends.tools("b")).extracting(PinnedToolDefinition::name).containsExactly("x");
        assertThat(backends.remove("b")).isTrue();
        assertThat(backends.tools("b")).isEmpty();
    }

    private static ToolDefinition declared(String name) {
        return new ToolDefinition(name, name, "", SETTINGS, Optional.empty(), ToolHints.EFFECT);
    }

    private List<String> catalogNames() {
        return names(catalog);
    }

    /** Each tool as its declared name, its name and its path in scripts. */
    private static List<String> names(ToolCatalog catalog) {
        return catalog.guestTools().stream()
                .map(tool ->
                        tool.declaredName() + " is " + tool.tool() + " at " + tool.backendId() + "." + tool.toolId())
                .toList();
    }

    @Test
    void namesOfToolsStayWhenToolsAreAddedAndAfterARestart() {
        backends.start(List.of());
        backends.add("my-shop", "slow", SETTINGS, true, "t");
        BackendConnection.ConnectionListener server = Objects.requireNonNull(slowType.firstListener);
        server.onToolsDeclared(List.of(declared("get-user"), declared("get user")));
        List<String> before =
                List.of("get-user is get-user at my_shop.get_user_2", "get user is get_user at my_shop.get_user");
        assertThat(catalogNames()).containsExactlyInAnyOrderElementsOf(before);

        server.onToolsDeclared(
                List.of(declared("get_user"), declared("get+user"), declared("get user"), declared("get-user")));
        List<String> all = Stream.concat(
                        before.stream(),
                        Stream.of(
                                "get+user is get_user_3 at my_shop.get_user_3",
                                "get_user is get_user_4 at my_shop.get_user_4"))
                .toList();
        assertThat(catalogNames()).containsExactlyInAnyOrderElementsOf(all);

        // A server that stops and declares less does not free the names.
        server.onToolsDeclared(List.of(declared("get.user"), declared("get_user")));
        assertThat(catalogNames())
                .containsExactlyInAnyOrder(
                        "get.user is get.user at my_shop.get_user_5", "get_user is get_user_4 at my_shop.get_user_4");

        slowType.openAllowed.countDown();
        ToolCatalog afterRestart = new ToolCatalog();
        try (BackendRegistry restarted = registry(afterRestart)) {
            restarted.start(List.of());
            restarted.add("my_shop", "slow", SETTINGS, true, "t");
            assertThat(names(afterRestart)).isEqualTo(catalogNames());
            assertThat(restarted.find("my-shop").orElseThrow().identifier()).isEqualTo("my_shop");
            assertThat(restarted.find("my_shop").orElseThrow().identifier()).isEqualTo("my_shop_2");
        }
    }

    /** As when the jar with the bean was removed, or was never on this node. */
    @Test
    void backendWithoutItsBeanIsListedAsNotHosted() {
        store.add(new BackendDefinition(
                "library", "java", SETTINGS, true, BackendDefinition.BackendOrigin.BUILT_IN, "1"));
        store.recordDeclared(
                "library",
                List.of(new ToolDefinition("lend", "lend", "", SETTINGS, Optional.empty(), ToolHints.EFFECT)));
        backends.start(List.of());

        assertThat(backends.list()).singleElement().satisfies(view -> {
            assertThat(view.definition().name()).isEqualTo("library");
            assertThat(view.status().state()).isEqualTo(BackendStatus.BackendState.DOWN);
            assertThat(view.status().lastError().orElseThrow()).contains("does not host it", "jar");
        });
        assertThat(backends.find("library")).isPresent();
        assertThat(catalog.isNotHosted("library")).isTrue();
        assertThat(catalog.guestTools())
                .extracting(tool -> tool.backend() + "." + tool.tool())
                .containsExactly("library.lend");
        assertThat(catalog.all()).isEmpty();
        // The row belongs to the nodes that have the bean.
        assertThat(store.find("library").orElseThrow().version()).isEqualTo("1");
        assertThat(backends.add("Library", "slow", SETTINGS, true, "t")).isEmpty();

        assertThatThrownBy(() -> backends.restart("library"))
                .isInstanceOf(InvalidBackendException.class)
                .hasMessageContaining("needs a bean whose backend is named 'library'");

        store.remove("library");
        backends.sync();
        assertThat(backends.list()).isEmpty();
        assertThat(catalog.isNotHosted("library")).isFalse();
    }
}
