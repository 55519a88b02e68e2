package org.sallyport.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.BackendStatus;
import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolNameMap;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;
import org.sallyport.tool.ToolName;
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
                        List.of(),
                        new DiscardingMessageSender(),
                        InstantSource.system(),
                        10_000_000,
                        "node-1",
                        new MemoryBudgets(0, 0).calls()),
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
        private final List<BackendConnection.ConnectionListener> listeners = new CopyOnWriteArrayList<>();
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
            listeners.add(listener);
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
        return catalog.guestTools().tools().stream()
                .map(tool ->
                        tool.declaredName() + " is " + tool.tool() + " at " + tool.backendId() + "." + tool.toolId())
                .toList();
    }

    /** Returns the name of the tool that a text of a script denotes, whether it exists or not. */
    private static String called(ToolCatalog catalog, String text) {
        GuestTool tool = ToolNameMap.of(catalog.guestTools().toToolbox()).resolve(text);
        return tool.backend() + "." + tool.tool();
    }

    @Test
    void namesOfToolsStayWhenToolsAreAddedOrRemovedAndAfterARestart() {
        backends.start(List.of());
        backends.add("my-shop", "slow", SETTINGS, true, "t");
        BackendConnection.ConnectionListener server = Objects.requireNonNull(slowType.firstListener);
        server.onToolsDeclared(List.of(declared("get-user"), declared("get user")));
        List<String> before =
                List.of("get-user is get-user at my_shop.get_user_2", "get user is get_user at my_shop.get_user");
        assertThat(catalogNames()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(called(catalog, "my_shop.get_user")).isEqualTo("my-shop.get_user");

        server.onToolsDeclared(
                List.of(declared("get_user"), declared("get+user"), declared("get user"), declared("get-user")));
        List<String> all = Stream.concat(
                        before.stream(),
                        Stream.of(
                                "get+user is get_user_3 at my_shop.get_user_3",
                                "get_user is get_user_4 at my_shop.get_user_4"))
                .toList();
        assertThat(catalogNames()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(called(catalog, "my_shop.get_user")).isEqualTo("my-shop.get_user");

        // A server that stops and declares less does not free the names.
        server.onToolsDeclared(List.of(declared("get.user"), declared("get_user")));
        assertThat(catalogNames())
                .containsExactlyInAnyOrder(
                        "get.user is get.user at my_shop.get_user_5", "get_user is get_user_4 at my_shop.get_user_4");
        assertThat(called(catalog, "my_shop.get_user")).isEqualTo("my-shop.get_user");
        assertThat(called(catalog, "my_shop.get-user")).isEqualTo("my-shop.get-user");
        assertThat(ToolNameMap.of(catalog.guestTools().toToolbox()).findGranted("my_shop.get_user"))
                .isEmpty();

        slowType.openAllowed.countDown();
        ToolCatalog afterRestart = new ToolCatalog();
        try (BackendRegistry restarted = registry(afterRestart)) {
            restarted.start(List.of());
            restarted.add("my_shop", "slow", SETTINGS, true, "t");
            assertThat(names(afterRestart)).isEqualTo(catalogNames());
            assertThat(restarted.find("my-shop").orElseThrow().identifier()).isEqualTo("my_shop");
            assertThat(restarted.find("my_shop").orElseThrow().identifier()).isEqualTo("my_shop_2");
            assertThat(called(afterRestart, "my_shop.get_user")).isEqualTo("my-shop.get_user");
        }
    }

    /** A text never denotes another tool than before, in all orders in which a server adds and removes tools. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void textDenotesTheSameToolForEver(long seed) {
        List<String> declarable = List.of(
                "get-user",
                "get_user",
                "get user",
                "get.user",
                "get_user_2",
                "get user 2",
                "get_user_3",
                "größe",
                "gr__e",
                "gr  e",
                "then",
                "then_",
                "toString",
                "__proto__",
                "_",
                "-",
                "😀",
                "1st",
                "_1st");
        Random random = new Random(seed);
        slowType.openAllowed.countDown();
        ToolCatalog otherCatalog = new ToolCatalog();
        try (BackendRegistry other = registry(otherCatalog)) {
            backends.start(List.of());
            backends.add("b", "slow", SETTINGS, true, "t");
            List<BackendConnection.ConnectionListener> servers = new ArrayList<>(slowType.listeners);
            other.start(List.of());
            servers.add(slowType.listeners.get(slowType.listeners.size() - 1));
            Map<String, String> toolByText = new TreeMap<>();
            for (int round = 0; round < 60; round++) {
                // Two nodes see different lists of one server.
                servers.get(random.nextInt(servers.size()))
                        .onToolsDeclared(declarable.stream()
                                .filter(name -> random.nextInt(3) == 0)
                                .map(BackendRegistryTest::declared)
                                .toList());
                for (ToolCatalog node : List.of(catalog, otherCatalog)) {
                    ToolNameMap names = ToolNameMap.of(node.guestTools().toToolbox());
                    for (String text : declarable) {
                        if (names.tools("b").containsKey(text)) {
                            String tool = called(node, "b." + text);
                            assertThat(toolByText.computeIfAbsent(text, first -> tool))
                                    .as("%s in round %d", text, round)
                                    .isEqualTo(tool);
                        }
                    }
                }
            }
            assertThat(toolByText).hasSize(declarable.size());
        }
    }

    @Test
    void identifierOfABackendWithoutToolsDenotesNoOtherBackend() {
        backends.start(List.of());
        slowType.openAllowed.countDown();
        backends.add("my-shop", "slow", SETTINGS, true, "t");
        backends.add("my_shop", "slow", SETTINGS, true, "t");
        slowType.listeners.get(1).onToolsDeclared(List.of(declared("pay")));
        assertThat(called(catalog, "my_shop.pay")).isEqualTo("my-shop.pay");
        assertThat(catalog.find(new ToolName("my-shop", "pay"))).isEmpty();
        assertThat(called(catalog, "my_shop_2.pay")).isEqualTo("my_shop.pay");

        // Also if its definition is refused, as when another version of the service wrote it.
        ToolCatalog laterCatalog = new ToolCatalog();
        store.put(new BackendDefinition(
                "my-shop", "slow", new Json("{\"timeoutMillis\":-1}"), true, BackendDefinition.BackendOrigin.API, "2"));
        try (BackendRegistry later = registry(laterCatalog)) {
            later.start(List.of());
            assertThat(later.isNotHosted("my-shop")).isTrue();
            assertThat(later.find("my-shop").orElseThrow().status().lastError().orElseThrow())
                    .contains("its definition is invalid here", "timeoutMillis");
            assertThat(called(laterCatalog, "my_shop.pay")).isEqualTo("my-shop.pay");

            assertThat(later.remove("my-shop")).isTrue();
            assertThat(later.find("my-shop")).isEmpty();
            assertThat(laterCatalog.hasBackend("my-shop")).isFalse();
        }
    }

    @Test
    void renamedBackendOfTheFileGetsItsIdentifier() {
        slowType.openAllowed.countDown();
        backends.start(List.of(inFile("my-shop")));
        assertThat(backends.find("my-shop").orElseThrow().identifier()).isEqualTo("my_shop");
        try (BackendRegistry restarted = registry(new ToolCatalog())) {
            restarted.start(List.of(inFile("my_shop")));
            assertThat(restarted.list())
                    .singleElement()
                    .satisfies(view -> assertThat(view.identifier()).isEqualTo("my_shop"));
        }
    }

    private static BackendDefinition inFile(String name) {
        return new BackendDefinition(name, "slow", SETTINGS, true, BackendDefinition.BackendOrigin.FILE, "1");
    }

    /** Another node removed the backend and added another one of that name. */
    @Test
    void toolsOfAnOutdatedConnectionAreNotRecorded() {
        slowType.openAllowed.countDown();
        backends.start(List.of());
        backends.add("b", "slow", SETTINGS, true, "t");
        store.remove("b");
        slowType.listeners.get(0).onToolsDeclared(List.of(declared("old")));
        assertThat(catalogNames()).isEmpty();
        store.add(new BackendDefinition("b", "slow", SETTINGS, true, BackendDefinition.BackendOrigin.API, "2"));
        slowType.listeners.get(0).onToolsDeclared(List.of(declared("old")));
        assertThat(catalogNames()).isEmpty();
        assertThat(store.listTools("b")).isEmpty();

        backends.sync();
        slowType.listeners.get(1).onToolsDeclared(List.of(declared("fresh")));
        assertThat(catalogNames()).containsExactly("fresh is fresh at b.fresh");
    }

    @Test
    void toolsAboveTheMaximumAreReportedInTheStatus() {
        backends.start(List.of());
        backends.add("b", "slow", SETTINGS, true, "t");
        BackendConnection.ConnectionListener server = slowType.listeners.get(0);
        server.onStateChanged(BackendStatus.BackendState.READY, Optional.empty());
        for (int round = 0; round <= BackendStore.MAX_TOOLS / 2_000; round++) {
            int first = round * 2_000;
            server.onToolsDeclared(IntStream.range(first, first + 2_000)
                    .mapToObj(number -> declared("t" + number))
                    .toList());
        }
        assertThat(backends.find("b").orElseThrow()).satisfies(view -> {
            assertThat(view.status().state()).isEqualTo(BackendStatus.BackendState.READY);
            assertThat(view.status().lastError().orElseThrow())
                    .startsWith("2000 new tools of its server are not in the catalog");
            assertThat(view.toolCount()).isZero();
        });
        assertThat(backends.tools("b")).hasSize(BackendStore.MAX_TOOLS);
    }

    /** As when the jar with the bean was removed, or was never on this node. */
    @Test
    void backendWithoutItsBeanIsListedAsNotHosted() {
        BackendDefinition library =
                new BackendDefinition("library", "java", SETTINGS, true, BackendDefinition.BackendOrigin.BUILT_IN, "1");
        store.add(library);
        store.recordDeclared(library, List.of(declared("lend"), declared("give-back")));
        store.recordDeclared(library, List.of(declared("lend"), declared("give_back")));
        store.recordDeclared(library, List.of(declared("lend")));
        backends.start(List.of());

        assertThat(backends.list()).singleElement().satisfies(view -> {
            assertThat(view.definition().name()).isEqualTo("library");
            assertThat(view.status().state()).isEqualTo(BackendStatus.BackendState.DOWN);
            assertThat(view.status().lastError().orElseThrow()).contains("does not host it", "jar");
        });
        assertThat(backends.find("library")).isPresent();
        assertThat(catalog.isNotHosted("library")).isTrue();
        assertThat(catalog.guestTools().tools())
                .extracting(tool -> tool.backend() + "." + tool.tool())
                .containsExactly("library.lend");
        assertThat(called(catalog, "library.give_back")).isEqualTo("library.give-back");
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

    @Test
    void errorInTheFileNamesTheBackendAndItsMember() {
        BackendDefinition unknownKind =
                new BackendDefinition("a", "none", SETTINGS, true, BackendDefinition.BackendOrigin.FILE, "1");
        assertThatThrownBy(() -> backends.start(List.of(unknownKind)))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo("backends.a.kind"));
        BackendDefinition invalidSetting = new BackendDefinition(
                "a", "slow", new Json("{\"fallback\":[\"b\",7]}"), true, BackendDefinition.BackendOrigin.FILE, "1");
        assertThatThrownBy(() -> backends.start(List.of(invalidSetting)))
                .isInstanceOfSatisfying(
                        InvalidBackendException.class,
                        e -> assertThat(e.member()).isEqualTo("backends.a.fallback[1]"))
                .hasMessage("must be a text");
    }
}
