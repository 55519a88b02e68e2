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
    private static final AuditLog.Actor ANNA =
            new AuditLog.Actor("tenant-a", "key-1", AuditEntry.Door.CONSOLE, "10.0.0.1");

    private final List<AuditEntry> entries = new ArrayList<>();
    private final List<AuditResult> results = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private boolean down;
    private final AuditLog log = new AuditLog(new Memory(), UUID::randomUUID, nanos::get);

    @Test
    void nothingBeginsThatCannotBeWritten() {
        down = true;
        assertThatThrownBy(() -> log.begin(ANNA, "backend.change", "b")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> log.done(ANNA, "session.open", "")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatEndedStaysEndedWhenThatCannotBeWritten() {
        AuditEntry entry = log.begin(ANNA, "backend.change", "b");
        down = true;
        log.end(entry, AuditResult.of(200, "", ""));
        log.refused(ANNA, "backend.change", "b", 403);
        assertThat(entries).containsExactly(entry);
        assertThat(results).isEmpty();
    }

    @Test
    void nobodyFillsTheLogWithRefusals() {
        for (int i = 0; i < 1_000; i++) {
            log.refused(ANNA, "backend.change", "b", 403);
        }
        assertThat(entries).hasSize(AuditLog.REFUSALS);

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        log.refused(ANNA, "backend.change", "b", 403);
        log.refused(new AuditLog.Actor("tenant-a", "key-2", AuditEntry.Door.REST, ""), "backend.change", "b", 403);
        assertThat(results).hasSize(AuditLog.REFUSALS + 2);
        assertThat(results.get(AuditLog.REFUSALS).note()).isEqualTo("980 refusals before were not written");
        assertThat(results.get(AuditLog.REFUSALS + 1).note()).isEmpty();
    }

    @Test
    void nobodyFillsTheLogWithDeeds() {
        for (int i = 0; i < AuditLog.DEEDS; i++) {
            log.begin(ANNA, "execution.cancel", "e");
        }
        assertThatThrownBy(() -> log.begin(ANNA, "execution.cancel", "e")).isInstanceOf(TooManyDeedsException.class);
        assertThat(entries).hasSize(AuditLog.DEEDS);
        log.begin(new AuditLog.Actor("tenant-a", "key-2", AuditEntry.Door.REST, ""), "execution.cancel", "e");

        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        log.begin(ANNA, "execution.cancel", "e");
        assertThat(entries).hasSize(AuditLog.DEEDS + 2);
    }

    @Test
    void whoeverHasALinkUsesUpNothingOfItsMaker() {
        AuditLog.Actor link = new AuditLog.Actor("tenant-a", "key-1", AuditEntry.Door.LINK, "10.0.0.2");
        for (int i = 0; i < AuditLog.DEEDS; i++) {
            log.begin(link, "approval.approve", "a");
        }
        assertThatThrownBy(() -> log.begin(link, "approval.approve", "a")).isInstanceOf(TooManyDeedsException.class);
        log.begin(ANNA, "approval.approve", "a");
        assertThat(entries).hasSize(AuditLog.DEEDS + 1);
    }

    @Test
    void textsAreCutAndStatusesSayWhatCameOfIt() {
        log.begin(ANNA, "backend.change", "b".repeat(1_000));
        assertThat(entries.get(0).object()).hasSize(301);
        assertThat(AuditResult.of(201, "made", "").kind()).isEqualTo(AuditResult.Kind.DONE);
        assertThat(AuditResult.of(404, "made", "").made()).isEmpty();
        assertThat(AuditResult.of(404, "", "").kind()).isEqualTo(AuditResult.Kind.REFUSED);
        assertThat(AuditResult.of(503, "", "").kind()).isEqualTo(AuditResult.Kind.FAILED);
    }

    private final class Memory implements AuditStore {
        private void check() {
            if (down) {
                throw new IllegalStateException("down");
            }
        }

        @Override
        public void add(AuditEntry entry) {
            check();
            entries.add(entry);
        }

        @Override
        public void add(AuditEntry entry, AuditResult result) {
            add(entry);
            results.add(result);
        }

        @Override
        public void add(String tenant, UUID entry, AuditResult result) {
            check();
            results.add(result);
        }

        @Override
        public List<AuditRecord> list(String tenant, AuditFilter filter, Optional<UUID> before, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int purge(Duration age, int limit) {
            throw new UnsupportedOperationException();
        }
    }
}
