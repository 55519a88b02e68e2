package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoredBytesCounterTest {
    private final AtomicLong nanos = new AtomicLong();
    private final StoredTenantBytes stored = new StoredTenantBytes();
    private final StoredBytesCounter counter = new StoredBytesCounter(stored, nanos::get);

    /** A store with one tenant, which counts the queries for journals. */
    private final class StoredTenantBytes implements QuotaStore {
        private long artifacts;
        private long journals;
        private int journalQueries;
        private boolean available = true;
        private boolean countsAgainWithin;

        @Override
        public Map<QuotaType, Long> findOverrides(String tenant) {
            return Map.of();
        }

        @Override
        public void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long artifactBytes(String tenant) {
            return tenant.equals("t") ? artifacts : 0;
        }

        @Override
        public long journalBytes(String tenant) {
            journalQueries++;
            if (!available) {
                throw new IllegalStateException("the store is away");
            }
            if (countsAgainWithin) {
                assertThat(counter.countBytes(tenant)).as("the last count").isEqualTo(103);
            }
            return tenant.equals("t") ? journals : 0;
        }

        @Override
        public long callsToday(String tenant) {
            return 0;
        }

        @Override
        public CallSlice takeCalls(String tenant, long wanted, long maxCalls) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void artifactsAndJournalsOfTheTenantAreCounted() {
        stored.artifacts = 3;
        stored.journals = 100;
        assertThat(counter.countBytes("t")).isEqualTo(103);
        assertThat(counter.countBytes("other")).isZero();
    }

    @Test
    void journalsAreCountedOnceAMinuteAndArtifactsEachTime() {
        stored.journals = 100;
        assertThat(counter.countBytes("t")).isEqualTo(100);
        stored.artifacts = 3;
        stored.journals = 200;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos() - 1);
        assertThat(counter.countBytes("t")).isEqualTo(103);
        nanos.incrementAndGet();
        assertThat(counter.countBytes("t")).isEqualTo(203);
        assertThat(stored.journalQueries).isEqualTo(2);
    }

    @Test
    void lastCountAppliesWhileTheJournalsAreCountedAgain() {
        stored.artifacts = 3;
        stored.journals = 100;
        counter.countBytes("t");
        stored.journals = 200;
        stored.countsAgainWithin = true;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(counter.countBytes("t")).isEqualTo(203);
        assertThat(stored.journalQueries).isEqualTo(2);
    }

    @Test
    void lastCountAppliesForAMinuteAfterACountThatFailed() {
        stored.journals = 100;
        counter.countBytes("t");
        stored.available = false;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThatThrownBy(() -> counter.countBytes("t")).isInstanceOf(IllegalStateException.class);
        assertThat(counter.countBytes("t")).isEqualTo(100);
        stored.available = true;
        stored.journals = 200;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(counter.countBytes("t")).isEqualTo(200);
    }
}
