package org.sallyport.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.StoreUnavailableException;

class KeyUsesTest {
    private static final Instant NOON = Instant.parse("2026-06-08T12:00:00Z");

    private final Map<String, Instant> stored = new HashMap<>();
    private int writes;
    private boolean answers = true;
    private Instant now = NOON;
    private final KeyUses uses = new KeyUses(new Store(), () -> now);

    @Test
    void manyUsesAreOneWriteAndShownBefore() {
        for (int i = 0; i < 1_000; i++) {
            now = now.plusMillis(1);
            uses.used("k1");
        }

        assertThat(writes).isZero();
        assertThat(uses.of("acme")).containsEntry("k1", NOON.plusSeconds(1));
        uses.write();
        uses.write();
        assertThat(writes).isEqualTo(1);
        assertThat(stored).isEqualTo(Map.of("k1", NOON.plusSeconds(1)));
    }

    @Test
    void whatAnotherNodeHasSeenLaterIsShown() {
        uses.used("k1");
        stored.put("k1", NOON.plusSeconds(5));

        assertThat(uses.of("acme")).containsEntry("k1", NOON.plusSeconds(5));
    }

    @Test
    void aStoreThatDoesNotAnswerIsToldTheNextTime() {
        uses.used("k1");
        answers = false;
        uses.write();
        answers = true;
        uses.write();

        assertThat(stored).containsEntry("k1", NOON);
    }

    private final class Store implements KeyUseStore {
        @Override
        public void note(Map<String, Instant> noted) {
            if (!answers) {
                throw new StoreUnavailableException("down", new IllegalStateException("down"));
            }
            writes++;
            stored.putAll(noted);
        }

        @Override
        public Map<String, Instant> list(String tenant) {
            return stored;
        }
    }
}
