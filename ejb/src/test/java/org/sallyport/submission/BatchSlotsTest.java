package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BatchSlotsTest {
    private static final long DEADLINE_SECONDS = 60;

    @Test
    void workThatFindsNoFreeSlotIsNotDone() throws Exception {
        BatchSlots slots = new BatchSlots(1, Duration.ofMillis(1));
        CompletableFuture<String> begun = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<Optional<String>> first = CompletableFuture.supplyAsync(() -> slots.compute(() -> {
            begun.complete("begun");
            return end.join();
        }));
        begun.get(DEADLINE_SECONDS, TimeUnit.SECONDS);

        assertThat(slots.<String>compute(() -> {
                    throw new AssertionError("the only slot is taken");
                }))
                .isEmpty();

        end.complete("first");
        assertThat(first.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).contains("first");
        assertThat(slots.compute(() -> "second")).contains("second");
    }

    @Test
    void workThatFailsLeavesItsSlot() {
        BatchSlots slots = new BatchSlots(1, Duration.ofMillis(1));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> slots.compute(() -> {
                        throw new IllegalArgumentException("not JSON");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(slots.compute(() -> 1)).contains(1);
    }
}
