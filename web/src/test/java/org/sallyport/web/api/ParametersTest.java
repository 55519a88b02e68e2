package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionState;

class ParametersTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "17, 17", "60, 60", "007, 7"})
    void wholeNumbersWithinTheirBoundsAreTaken(String text, long value) {
        assertThat(Parameters.whole("wait", text, 5, 0, 60)).isEqualTo(value);
    }

    @ParameterizedTest
    @NullAndEmptySource
    void whatIsAbsentGetsTheUsualValue(@Nullable String text) {
        assertThat(Parameters.whole("wait", text, 5, 0, 60)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "61", "31536000", "9223372036854775808", "1.5", "1e3", "0x10", " 1", "ten", "1,000"})
    void otherNumbersAreRefused(String text) {
        assertThat(Faults.memberOf(() -> Parameters.whole("wait", text, 5, 0, 60)))
                .isEqualTo("wait");
    }

    @Test
    void noStateMeansAllOfThem() {
        assertThat(Parameters.states(List.of())).isEmpty();
    }

    @Test
    void statesComeRepeatedOrWithCommasInAnyCase() {
        assertThat(Parameters.states(List.of("PENDING, running", "failed")))
                .containsExactlyInAnyOrder(ExecutionState.PENDING, ExecutionState.RUNNING, ExecutionState.FAILED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "DONE", "PENDING,", ",", "PENDING RUNNING"})
    void unknownStatesAreRefused(String text) {
        assertThat(Faults.memberOf(() -> Parameters.states(List.of(text)))).isEqualTo("state");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    wait=10                      | 10
                    wait = 10                    | 10
                    Wait=10                      | 10
                    wait="10"                    | 10
                    respond-async, wait=10       | 10
                    respond-async;wait=10        | 10
                    wait=10, wait=20             | 10
                    wait=0                       | 0
                    """)
    void aClientCanPreferToWait(String header, long seconds) {
        assertThat(Parameters.preferredWait(List.of(header), 60)).contains(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "respond-async", "wait", "await=10", "return=minimal", "x=\"wait=10\""})
    void otherPreferencesSayNothingOfWaiting(String header) {
        assertThat(Parameters.preferredWait(List.of(header), 60)).isEmpty();
    }

    @Test
    void preferencesCanComeInSeveralLines() {
        assertThat(Parameters.preferredWait(List.of("respond-async", "wait=3"), 60))
                .contains(3L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait=31536000", "wait=-1", "wait=soon", "wait=1.5"})
    void waitsThatCannotBeAreRefused(String header) {
        assertThat(Faults.memberOf(() -> Parameters.preferredWait(List.of(header), 60)))
                .isEqualTo("Prefer: wait");
    }

    @Test
    void idempotencyKeysAreVisibleAscii() {
        assertThat(Parameters.idempotencyKey(null)).isEmpty();
        assertThat(Parameters.idempotencyKey("a")).contains("a");
        assertThat(Parameters.idempotencyKey("~".repeat(255))).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "schlüssel", "\u0000", "a\n"})
    void otherIdempotencyKeysAreRefused(String key) {
        assertThat(Faults.memberOf(() -> Parameters.idempotencyKey(key))).isEqualTo("Idempotency-Key");
    }

    @Test
    void anEndlessIdempotencyKeyIsRefused() {
        assertThat(Faults.memberOf(() -> Parameters.idempotencyKey("k".repeat(256))))
                .isEqualTo("Idempotency-Key");
    }
}
