package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class KeyUseTrackerTest {
    private static final Instant NOON = Instant.parse("2026-06-08T12:00:00Z");

    private final Map<String, Instant> stored = new HashMap<>();
    private int writes;
    private boolean storeAvailable = true;
    private Instant now = NOON;
    private final KeyUseTracker uses = new KeyUseTracker(new FlakyKeyUseStore(), () -> now);

    @Test
    void manyUsesAreOneWriteAndVisibleBeforeIt() {
        for (int i = 0; i < 1_000; i++) {
            now = now.plusMillis(1);
            uses.recordUse("k1");
        }

        assertThat(writes).isZero();
        assertThat(uses.lastUsedByKey("acme")).containsEntry("k1", NOON.plusSeconds(1));
        uses.flush();
        uses.flush();
        assertThat(writes).isEqualTo(1);
        assertThat(stored).isEqualTo(Map.of("k1", NOON.plusSeconds(1)));
    }

    @Test
    void laterUseOnAnotherNodeIsShown() {
        uses.recordUse("k1");
        stored.put("k1", NOON.plusSeconds(5));

        assertThat(uses.lastUsedByKey("acme")).containsEntry("k1", NOON.plusSeconds(5));
    }

    @Test
    void failedFlushIsRetried() {
        uses.recordUse("k1");
        storeAvailable = false;
        uses.flush();
        storeAvailable = true;
        uses.flush();

        assertThat(stored).containsEntry("k1", NOON);
    }

    private final class FlakyKeyUseStore implements KeyUseStore {
        @Override
        public void recordUses(Map<String, Instant> noted) {
            if (!storeAvailable) {
                throw new StoreUnavailableException("down", new IllegalStateException("down"));
            }
            writes++;
            stored.putAll(noted);
        }

        @Override
        public Map<String, Instant> lastUsedByKey(String tenant) {
            return stored;
        }
    }
}
