package org.sallyport.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallQuotaTest {
    private static final Instant MIDNIGHT = Instant.parse("2026-11-24T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final Days days = new Days();
    private final Map<Quota, Long> standard = new EnumMap<>(Map.of(Quota.TOOL_CALLS, 1_000L));
    private final CallQuota quota = node();

    private CallQuota node() {
        return new CallQuota(days, new Quotas(days, standard, nanos::get, Duration.ofSeconds(2)), nanos::get);
    }

    /** A store that counts how often it is asked. */
    private static final class Days implements QuotaStore {
        private final Map<Quota, Long> own = new EnumMap<>(Quota.class);
        private long given;
        private int asked;

        @Override
        public Map<Quota, Long> of(String tenant) {
            return Map.copyOf(own);
        }

        @Override
        public void set(String tenant, Map<Quota, Long> quotas, String by) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long storedBytes(String tenant) {
            return 0;
        }

        @Override
        public synchronized long calls(String tenant) {
            return given;
        }

        @Override
        public synchronized Slice takeCalls(String tenant, long wanted, long most) {
            asked++;
            long calls = Math.max(0, Math.min(wanted, most - given));
            given += calls;
            return new Slice(calls, MIDNIGHT, Duration.ofHours(1));
        }
    }

    private long made(CallQuota on, int tries) {
        return IntStream.range(0, tries).filter(any -> on.take("t").isEmpty()).count();
    }

    @Test
    void asManyAreMadeAsThereAreAndTheStoreIsSeldomAsked() {
        assertThat(made(quota, 5_000)).isEqualTo(1_000);
        assertThat(quota.take("t")).contains(new CallQuota.Refusal(1_000, MIDNIGHT));
        assertThat(days.asked).isEqualTo(101);
    }

    @Test
    void nodesTogetherMakeNoMore() {
        CallQuota other = node();
        long both = 0;
        for (int i = 0; i < 900; i++) {
            both += made(quota, 1) + made(other, 1);
        }
        assertThat(both).isEqualTo(1_000);
    }

    @Test
    void whatIsInHandIsForTheDayAlone() {
        assertThat(made(quota, 1)).isOne();
        days.given = 0;
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(made(quota, 5_000)).isEqualTo(1_000);
    }

    @Test
    void aRefusalHoldsForAMomentAndNoLongerThanItsReason() {
        made(quota, 5_000);
        int asked = days.asked;
        assertThat(made(quota, 100)).isZero();
        assertThat(days.asked).isEqualTo(asked);
        days.own.put(Quota.TOOL_CALLS, 1_005L);
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(made(quota, 100)).isEqualTo(5);
    }

    @Test
    void withoutAQuotaNothingIsAsked() {
        days.own.put(Quota.TOOL_CALLS, 0L);
        assertThat(made(quota, 10_000)).isEqualTo(10_000);
        assertThat(days.asked).isZero();
    }
}
