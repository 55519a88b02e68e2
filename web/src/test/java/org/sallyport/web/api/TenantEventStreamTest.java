package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.event.EventBus;
import org.sallyport.event.EventStore;
import org.sallyport.event.ExternalEmitResult;
import org.sallyport.event.ExternalEvent;
import org.sallyport.event.PublishedEvent;
import org.sallyport.event.ScriptEvent;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.FencingToken;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;
import org.sallyport.tool.Json;
import org.sallyport.web.async.StreamSource.StreamChunk;

class TenantEventStreamTest {
    private static final String TENANT = "t";
    private static final long MAX_UNREAD = 3;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final FakeEventStore store = new FakeEventStore();
    private final EventBus bus = new EventBus(store, (tenant, name) -> {}, job -> {}, scheduler, Runnable::run);

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    private TenantEventStream stream(long position, String... names) {
        RedactionProvider secrets = RedactionProvider.secretsOnly(tenant -> new Redactor(List.of("hunter2-4711")));
        TenantEventStream stream = new TenantEventStream(bus, secrets, TENANT, Set.of(names), position, MAX_UNREAD);
        assertThat(text(stream.next())).isEqualTo("id: " + position + "\n\n");
        return stream;
    }

    private void emit(String name, String data) {
        bus.emitExternal(TENANT, new ExternalEvent(name, new Json(data), "key-1", Optional.empty()));
    }

    private static String text(StreamChunk chunk) {
        return new String(chunk.bytes(), StandardCharsets.UTF_8);
    }

    private static String keepAlive(TenantEventStream stream) {
        return new String(stream.keepAlive(), StandardCharsets.UTF_8);
    }

    @Test
    void eventsAfterThePositionAreSentInOrder() {
        emit("a", "0");
        TenantEventStream stream = stream(1);
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
        emit("b", "{\"x\":\n1.50}");
        emit("a", "\"hunter2-4711\"");
        assertThat(text(stream.next())).isEqualTo("""
                id: 2
                event: event
                data: {"seq":2,"name":"b","at":"1970-01-01T00:00:00Z","payload":{"x": 1.50},"emittedBy":"key-1"}

                id: 3
                event: event
                data: {"seq":3,"name":"a","at":"1970-01-01T00:00:00Z","payload":"[redacted]","emittedBy":"key-1"}

                """);
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
    }

    @Test
    void otherNamesAreSkippedAndTheSignOfLifeTellsThePosition() {
        TenantEventStream stream = stream(0, "a", "c");
        emit("b", "1");
        emit("a", "2");
        emit("b", "3");
        assertThat(text(stream.next())).startsWith("id: 2\n").doesNotContain("\"b\"");
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
        assertThat(keepAlive(stream)).isEqualTo("id: 3\n\n");
    }

    @Test
    void deletedEventsAreReportedAsAGap() {
        for (int i = 1; i <= 5; i++) {
            emit("a", "" + i);
        }
        TenantEventStream stream = stream(1, "a");
        store.deleteUpTo(3);
        assertThat(text(stream.next())).isEqualTo("id: 3\nevent: gap\ndata: {\"from\":2,\"to\":3}\n\n");
        assertThat(text(stream.next())).contains("\"seq\":4", "\"seq\":5");
        store.deleteUpTo(5);
        TenantEventStream late = stream(3, "a");
        assertThat(text(late.next())).isEqualTo("id: 5\nevent: gap\ndata: {\"from\":4,\"to\":5}\n\n");
        assertThat(late.next()).isSameAs(StreamChunk.NOTHING_YET);
    }

    @Test
    void eventsThatAreDeletedWhileTheyAreReadAreReportedAsAGap() {
        for (int i = 1; i <= 5; i++) {
            emit("a", "" + i);
        }
        TenantEventStream stream = stream(0);
        store.whenRead = () -> store.deleteUpTo(3);
        assertThat(text(stream.next())).isEqualTo("id: 3\nevent: gap\ndata: {\"from\":1,\"to\":3}\n\n");
        assertThat(text(stream.next())).contains("\"seq\":4", "\"seq\":5");
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
    }

    @Test
    void positionThatADatabaseDoesNotHaveAnyMoreIsReset() {
        emit("a", "1");
        RedactionProvider none = RedactionProvider.NONE;
        TenantEventStream stream = new TenantEventStream(bus, none, TENANT, Set.of(), 7, MAX_UNREAD);
        assertThat(text(stream.next())).isEqualTo("id: 1\nevent: reset\ndata: {\"after\":7,\"last\":1}\n\n");
        emit("a", "2");
        assertThat(text(stream.next())).startsWith("id: 2\nevent: event\n");
    }

    @Test
    void otherNamesAreNotUnread() {
        TenantEventStream stream = stream(0, "a");
        for (int i = 0; i <= MAX_UNREAD; i++) {
            emit("b", "1");
        }
        emit("a", "2");
        assertThat(text(stream.next())).startsWith("id: 5\nevent: event\n");
        for (int i = 0; i <= MAX_UNREAD; i++) {
            emit("b", "1");
        }
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
        assertThat(keepAlive(stream)).isEqualTo("id: 9\n\n");
    }

    @Test
    void slowReaderIsToldAndMayContinueAtItsPosition() {
        emit("a", "1");
        TenantEventStream stream = stream(1);
        for (int i = 0; i <= MAX_UNREAD; i++) {
            emit("a", "2");
        }
        StreamChunk end = stream.next();
        assertThat(end.last()).isTrue();
        assertThat(text(end))
                .startsWith("id: 1\nevent: end\ndata: {\"reason\":\"slow-reader\",\"unread\":4,")
                .contains("sallyport.events.max-unread");
        TenantEventStream continued = stream(1);
        assertThat(text(continued.next())).contains("\"seq\":2", "\"seq\":5");
        assertThat(continued.next().last()).isFalse();
    }

    @Test
    void oneChunkHoldsOneLargeEventOrSomeSmallOnes() {
        String large = '"' + "x".repeat(100_000) + '"';
        TenantEventStream stream = stream(0);
        emit("a", large);
        emit("a", large);
        assertThat(stream.next().bytes()).hasSizeBetween(100_000, 101_000);
        assertThat(stream.next().bytes()).hasSizeBetween(100_000, 101_000);
        assertThat(stream.next()).isSameAs(StreamChunk.NOTHING_YET);
    }

    @Test
    void newEventEndsTheWait() {
        TenantEventStream stream = stream(0, "a");
        var waiting = stream.awaitNext(Duration.ofHours(1).toMillis()).toCompletableFuture();
        emit("b", "1");
        assertThat(waiting).isNotDone();
        emit("a", "2");
        assertThat(waiting).isCompleted();
    }

    /** Holds the events of one tenant. */
    private static final class FakeEventStore implements EventStore {
        private final List<PublishedEvent> stored = new ArrayList<>();
        private Runnable whenRead = () -> {};
        private long last;

        void deleteUpTo(long seq) {
            stored.removeIf(each -> each.event().seq() <= seq);
        }

        @Override
        public ExternalEmitResult emitExternal(String tenant, ExternalEvent event) {
            last++;
            stored.add(new PublishedEvent(
                    new ScriptEvent(last, event.name(), event.data()), Instant.EPOCH, Optional.of(event.emittedBy())));
            return new ExternalEmitResult.ExternalEventStored(last, event.name(), false, false);
        }

        @Override
        public Optional<PublishedEvent> findNext(String tenant, Collection<String> names, long after) {
            Optional<PublishedEvent> found = stored.stream()
                    .filter(each -> each.event().seq() > after)
                    .filter(each ->
                            names.isEmpty() || names.contains(each.event().name()))
                    .findFirst();
            whenRead.run();
            return found;
        }

        @Override
        public OptionalLong firstSeqAfter(String tenant, long after) {
            return stored.stream()
                    .mapToLong(each -> each.event().seq())
                    .filter(seq -> seq > after)
                    .findFirst();
        }

        @Override
        public long lastSeq(String tenant) {
            return last;
        }

        @Override
        public Optional<EmittedEvent> emit(String tenant, FencingToken fence, long call, String name, Json data) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ScriptEvent> findFirstAfter(String tenant, Collection<String> names, long after) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ExecutionJob> resumeParked(String tenant, String name, long seq, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ExecutionJob> resumeMissed(int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int purge(Duration age, int limit) {
            throw new UnsupportedOperationException();
        }
    }
}
