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

class RequestParametersTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "17, 17", "60, 60", "007, 7"})
    void wholeNumbersWithinTheirBoundsAreAccepted(String text, long value) {
        assertThat(RequestParameters.longInRange("wait", text, 5, 0, 60)).isEqualTo(value);
    }

    @ParameterizedTest
    @NullAndEmptySource
    void absentNumberGetsTheDefault(@Nullable String text) {
        assertThat(RequestParameters.longInRange("wait", text, 5, 0, 60)).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "61", "31536000", "9223372036854775808", "1.5", "1e3", "0x10", " 1", "ten", "1,000"})
    void otherNumbersAreRefused(String text) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> RequestParameters.longInRange("wait", text, 5, 0, 60)))
                .isEqualTo("wait");
    }

    @Test
    void noStateMeansAllStates() {
        assertThat(RequestParameters.states(List.of())).isEmpty();
    }

    @Test
    void statesMayBeRepeatedOrCommaSeparatedInAnyCase() {
        assertThat(RequestParameters.states(List.of("PENDING, running", "failed")))
                .containsExactlyInAnyOrder(ExecutionState.PENDING, ExecutionState.RUNNING, ExecutionState.FAILED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "DONE", "PENDING,", ",", "PENDING RUNNING"})
    void unknownStatesAreRefused(String text) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> RequestParameters.states(List.of(text))))
                .isEqualTo("state");
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
                    wait=60                      | 60
                    wait=61                      | 60
                    wait=86400                   | 60
                    wait=99999999999999999999    | 60
                    foo="a, wait=5", wait=10     | 10
                    foo="\\", wait=5", wait=10   | 10
                    handling=lenient,wait=10;x=1 | 10
                    """)
    void preferWaitIsParsed(String header, long seconds) {
        assertThat(RequestParameters.preferredWait(List.of(header), 60)).contains(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "respond-async", "wait", "await=10", "return=minimal", "x=\"wait=10\""})
    void otherPreferencesDoNotSetAWait(String header) {
        assertThat(RequestParameters.preferredWait(List.of(header), 60)).isEmpty();
    }

    /** Nothing is read with recursion. */
    @Test
    void longQuotedValuesAreSkipped() {
        for (String value : List.of("a".repeat(200_000), "\\\"".repeat(100_000))) {
            assertThat(RequestParameters.preferredWait(List.of("foo=\"" + value + "\", wait=5"), 60))
                    .contains(5L);
            assertThat(RequestParameters.preferredWait(List.of("foo=\"" + value), 60))
                    .isEmpty();
        }
    }

    @Test
    void preferencesMaySpanSeveralHeaders() {
        assertThat(RequestParameters.preferredWait(List.of("respond-async", "wait=3"), 60))
                .contains(3L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wait=-1",
                "wait=soon",
                "wait=1.5",
                "wait=",
                "wait=\"\"",
                "wait=\"1\\0\"",
                "wait=soon, wait=5",
                "foo=\"a, wait=5",
                "wait=\"5",
                "wait=\"5\\\"",
                "=5"
            })
    void waitThatIsNoNumberIsIgnored(String header) {
        assertThat(RequestParameters.preferredWait(List.of(header), 60)).isEmpty();
    }

    @Test
    void waitOfManyDigitsIsReadInBoundedTime() {
        assertThat(RequestParameters.preferredWait(List.of("wait=" + "9".repeat(1_000_000)), 60))
                .isEmpty();
    }

    @Test
    void idempotencyKeysAreVisibleAscii() {
        assertThat(RequestParameters.idempotencyKey(null)).isEmpty();
        assertThat(RequestParameters.idempotencyKey("a")).contains("a");
        assertThat(RequestParameters.idempotencyKey("~".repeat(255))).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "schlüssel", "\u0000", "a\n"})
    void otherIdempotencyKeysAreRefused(String key) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> RequestParameters.idempotencyKey(key)))
                .isEqualTo("Idempotency-Key");
    }

    @Test
    void oversizedIdempotencyKeyIsRefused() {
        assertThat(ProblemAssertions.invalidMemberOf(() -> RequestParameters.idempotencyKey("k".repeat(256))))
                .isEqualTo("Idempotency-Key");
    }
}
