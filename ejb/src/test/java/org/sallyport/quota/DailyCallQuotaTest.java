package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DailyCallQuotaTest {
    private static final Instant MIDNIGHT = Instant.parse("2026-11-24T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final FakeQuotaStore days = new FakeQuotaStore();
    private final Map<QuotaType, Long> standard = new EnumMap<>(Map.of(QuotaType.TOOL_CALLS, 1_000L));
    private final DailyCallQuota quota = node();

    private DailyCallQuota node() {
        return new DailyCallQuota(days, new QuotaLimits(days, standard, nanos::get, Duration.ofSeconds(2)), nanos::get);
    }

    /** A store that counts its queries. */
    private static final class FakeQuotaStore implements QuotaStore {
        private final Map<QuotaType, Long> overrides = new EnumMap<>(QuotaType.class);
        private long granted;
        private int queries;

        @Override
        public Map<QuotaType, Long> findOverrides(String tenant) {
            return Map.copyOf(overrides);
        }

        @Override
        public void setOverrides(String tenant, Map<QuotaType, Long> quotas, String by) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long artifactBytes(String tenant) {
            return 0;
        }

        @Override
        public long journalBytes(String tenant) {
            return 0;
        }

        @Override
        public synchronized long callsToday(String tenant) {
            return granted;
        }

        @Override
        public synchronized CallSlice takeCalls(String tenant, long wanted, long maxCalls) {
            queries++;
            long calls = Math.max(0, Math.min(wanted, maxCalls - granted));
            granted += calls;
            return new CallSlice(calls, MIDNIGHT, Duration.ofHours(1));
        }
    }

    private long countAllowed(DailyCallQuota on, int tries) {
        return IntStream.range(0, tries)
                .filter(any -> on.consumeCall("t").isEmpty())
                .count();
    }

    @Test
    void dailyQuotaIsExactWithFewStoreQueries() {
        assertThat(countAllowed(quota, 5_000)).isEqualTo(1_000);
        assertThat(quota.consumeCall("t")).contains(new DailyCallQuota.CallQuotaExceeded(1_000, MIDNIGHT));
        assertThat(days.queries).isEqualTo(101);
    }

    @Test
    void nodesShareTheDailyQuota() {
        DailyCallQuota other = node();
        long both = 0;
        for (int i = 0; i < 900; i++) {
            both += countAllowed(quota, 1) + countAllowed(other, 1);
        }
        assertThat(both).isEqualTo(1_000);
    }

    @Test
    void prefetchedCallsExpireWithTheDay() {
        assertThat(countAllowed(quota, 1)).isOne();
        days.granted = 0;
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(countAllowed(quota, 5_000)).isEqualTo(1_000);
    }

    @Test
    void refusalIsCachedBrieflyAndARaisedQuotaApplies() {
        countAllowed(quota, 5_000);
        int asked = days.queries;
        assertThat(countAllowed(quota, 100)).isZero();
        assertThat(days.queries).isEqualTo(asked);
        days.overrides.put(QuotaType.TOOL_CALLS, 1_005L);
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(countAllowed(quota, 100)).isEqualTo(5);
    }

    @Test
    void unlimitedQuotaNeedsNoQuery() {
        days.overrides.put(QuotaType.TOOL_CALLS, 0L);
        assertThat(countAllowed(quota, 10_000)).isEqualTo(10_000);
        assertThat(days.queries).isZero();
    }
}
