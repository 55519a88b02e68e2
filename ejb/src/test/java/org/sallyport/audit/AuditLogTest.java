package org.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AuditLogTest {
    private static final AuditLog.AuditActor ANNA =
            new AuditLog.AuditActor("tenant-a", "key-1", AuditEntry.AuditChannel.CONSOLE, "10.0.0.1");

    private final List<AuditEntry> entries = new ArrayList<>();
    private final List<AuditResult> results = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private boolean down;
    private final AuditLog log = new AuditLog(new FlakyAuditStore(), UUID::randomUUID, nanos::get);

    @Test
    void actionThatCannotBeRecordedIsRefused() {
        down = true;
        assertThatThrownBy(() -> log.recordStart(ANNA, "backend.change", "b"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.recordDone(ANNA, "session.open", "")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void unwritableResultDoesNotUndoTheAction() {
        AuditEntry entry = log.recordStart(ANNA, "backend.change", "b");
        down = true;
        log.recordResult(entry, AuditResult.of(200, "", ""));
        log.recordRefusal(ANNA, "backend.change", "b", 403);
        assertThat(entries).containsExactly(entry);
        assertThat(results).isEmpty();
    }

    @Test
    void recordedRefusalsPerMinuteAreLimited() {
        for (int i = 0; i < 1_000; i++) {
            log.recordRefusal(ANNA, "backend.change", "b", 403);
        }
        assertThat(entries).hasSize(AuditLog.MAX_REFUSALS_PER_MINUTE);

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        log.recordRefusal(ANNA, "backend.change", "b", 403);
        log.recordRefusal(
                new AuditLog.AuditActor("tenant-a", "key-2", AuditEntry.AuditChannel.REST, ""),
                "backend.change",
                "b",
                403);
        assertThat(results).hasSize(AuditLog.MAX_REFUSALS_PER_MINUTE + 2);
        assertThat(results.get(AuditLog.MAX_REFUSALS_PER_MINUTE).note())
                .isEqualTo("980 earlier refusals were not recorded");
        assertThat(results.get(AuditLog.MAX_REFUSALS_PER_MINUTE + 1).note()).isEmpty();
    }

    @Test
    void longTextsAreTruncated() {
        String text = "x".repeat(10_000);

        log.recordRefusal(ANNA, "backend.change", text, 403, text);
        log.recordResult(log.recordStart(ANNA, "backend.change", text), AuditResult.of(200, text, text));

        assertThat(entries)
                .hasSize(2)
                .allSatisfy(entry -> assertThat(entry.object()).hasSizeLessThan(400));
        assertThat(results).hasSize(2).allSatisfy(result -> {
            assertThat(result.note()).hasSizeLessThan(400);
            assertThat(result.created()).hasSizeLessThan(400);
        });
    }

    /** Guesses at one channel do not hide those at another. */
    @Test
    void refusalsOfUnknownActorsAreLimitedForEachChannel() {
        for (AuditEntry.AuditChannel channel : List.of(AuditEntry.AuditChannel.REST, AuditEntry.AuditChannel.CONSOLE)) {
            for (int i = 0; i < 100; i++) {
                log.recordRefusal(
                        new AuditLog.AuditActor("tenant-a", "", channel, "10.0.0." + i), "api-key.use", "", 401);
            }
        }

        assertThat(entries)
                .filteredOn(entry -> entry.channel() == AuditEntry.AuditChannel.REST)
                .hasSize(AuditLog.MAX_REFUSALS_PER_MINUTE);
        assertThat(entries)
                .filteredOn(entry -> entry.channel() == AuditEntry.AuditChannel.CONSOLE)
                .hasSize(AuditLog.MAX_REFUSALS_PER_MINUTE);
    }

    @Test
    void actionsPerMinuteAreLimited() {
        for (int i = 0; i < AuditLog.MAX_ACTIONS_PER_MINUTE; i++) {
            log.recordStart(ANNA, "execution.cancel", "e");
        }
        assertThatThrownBy(() -> log.recordStart(ANNA, "execution.cancel", "e"))
                .isInstanceOf(AuditRateLimitException.class);
        assertThat(entries).hasSize(AuditLog.MAX_ACTIONS_PER_MINUTE);
        log.recordStart(
                new AuditLog.AuditActor("tenant-a", "key-2", AuditEntry.AuditChannel.REST, ""),
                "execution.cancel",
                "e");

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        log.recordStart(ANNA, "execution.cancel", "e");
        assertThat(entries).hasSize(AuditLog.MAX_ACTIONS_PER_MINUTE + 2);
    }

    @Test
    void linkDoesNotUseTheActionLimitOfItsCreator() {
        AuditLog.AuditActor link =
                new AuditLog.AuditActor("tenant-a", "key-1", AuditEntry.AuditChannel.LINK, "10.0.0.2");
        for (int i = 0; i < AuditLog.MAX_ACTIONS_PER_MINUTE; i++) {
            log.recordStart(link, "approval.approve", "a");
        }
        assertThatThrownBy(() -> log.recordStart(link, "approval.approve", "a"))
                .isInstanceOf(AuditRateLimitException.class);
        log.recordStart(ANNA, "approval.approve", "a");
        assertThat(entries).hasSize(AuditLog.MAX_ACTIONS_PER_MINUTE + 1);
    }

    @Test
    void longObjectIsTruncatedAndStatusMapsToOutcome() {
        log.recordStart(ANNA, "backend.change", "b".repeat(1_000));
        assertThat(entries.get(0).object()).hasSize(301);
        assertThat(AuditResult.of(201, "made", "").outcome()).isEqualTo(AuditResult.AuditOutcome.DONE);
        assertThat(AuditResult.of(404, "made", "").created()).isEmpty();
        assertThat(AuditResult.of(404, "", "").outcome()).isEqualTo(AuditResult.AuditOutcome.REFUSED);
        assertThat(AuditResult.of(503, "", "").outcome()).isEqualTo(AuditResult.AuditOutcome.FAILED);
    }

    private final class FlakyAuditStore implements AuditStore {
        private void failIfDown() {
            if (down) {
                throw new IllegalStateException("down");
            }
        }

        @Override
        public void add(AuditEntry entry) {
            failIfDown();
            entries.add(entry);
        }

        @Override
        public void add(AuditEntry entry, AuditResult result) {
            add(entry);
            results.add(result);
        }

        @Override
        public void add(String tenant, UUID entry, AuditResult result) {
            failIfDown();
            results.add(result);
        }

        @Override
        public List<RecordedAuditEntry> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int purge(Duration age, int limit) {
            throw new UnsupportedOperationException();
        }
    }
}
