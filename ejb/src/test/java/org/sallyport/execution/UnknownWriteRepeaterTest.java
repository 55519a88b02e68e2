package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class UnknownWriteRepeaterTest {
    private static final StoreUnavailableException UNKNOWN = failure(true);
    private static final StoreUnavailableException NOT_STORED = failure(false);

    private static StoreUnavailableException failure(boolean maybeStored) {
        return new StoreUnavailableException("no answer", new IllegalStateException(), maybeStored);
    }

    /** Runs a write that fails with these exceptions, one after the other, and then succeeds. Returns its last run. */
    private static int write(StoreUnavailableException... failures) {
        Deque<StoreUnavailableException> next = new ArrayDeque<>(Arrays.asList(failures));
        int[] runs = new int[1];
        return UnknownWriteRepeater.repeatIfUnknown(() -> {
            runs[0]++;
            if (!next.isEmpty()) {
                throw next.remove();
            }
            return runs[0];
        });
    }

    private static void assertFails(boolean maybeStored, StoreUnavailableException... failures) {
        assertThatThrownBy(() -> write(failures))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.maybeStored()).isEqualTo(maybeStored));
    }

    @Test
    void writeIsRepeatedOnlyIfItMayBeStored() {
        assertThat(write()).isEqualTo(1);
        assertThat(write(UNKNOWN)).isEqualTo(2);
        assertFails(false, NOT_STORED);
    }

    @Test
    void failureOfTheRepetitionDoesNotMakeTheFirstRunKnown() {
        assertFails(true, UNKNOWN, NOT_STORED);
        assertFails(true, UNKNOWN, UNKNOWN);
    }

    @Test
    void repetitionReplacesTheSecondRun() {
        String known = UnknownWriteRepeater.repeatIfUnknown(() -> "first", () -> "second");
        String repeated = UnknownWriteRepeater.repeatIfUnknown(
                () -> {
                    throw UNKNOWN;
                },
                () -> "second");

        assertThat(known).isEqualTo("first");
        assertThat(repeated).isEqualTo("second");
    }
}
