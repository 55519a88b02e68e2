package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Setting;
import org.sallyport.execution.FurtherLimit;
import org.sallyport.execution.Limits;

class LimitPolicyTest {
    private static final long DEFAULT = 2L << 20;
    private static final long MOST = 3L << 20;

    private record Member(String member, Setting<?> standard, Setting<?> maximum, ToLongFunction<Limits> value) {
        @Override
        public String toString() {
            return member;
        }

        long of(Limits limits) {
            return value.applyAsLong(limits);
        }

        long divided(long much) {
            // No more tool calls than a million may be allowed.
            return member.equals("toolCalls") ? much / 10 : much;
        }

        LimitPolicy policy() {
            return policy(divided(DEFAULT), divided(MOST));
        }

        LimitPolicy policy(long usual, long most) {
            return new LimitPolicy(Configuration.read(
                    Map.of(standard.name(), Long.toString(usual), maximum.name(), Long.toString(most)), Map.of()));
        }

        RequestedLimits asked(long much) {
            return new RequestedLimits(
                    only("wallMillis", much),
                    only("cpuMillis", much),
                    only("heapBytes", much),
                    only("toolCalls", much),
                    only("outputChars", much));
        }

        private Optional<Long> only(String name, long much) {
            return member.equals(name) ? Optional.of(much) : Optional.empty();
        }
    }

    static Stream<Member> members() {
        return Stream.of(
                new Member("wallMillis", LimitSettings.WALL, LimitSettings.WALL_MAX, Limits::wallMillis),
                new Member("cpuMillis", LimitSettings.CPU, LimitSettings.CPU_MAX, Limits::cpuMillis),
                new Member("heapBytes", LimitSettings.HEAP, LimitSettings.HEAP_MAX, Limits::heapBytes),
                new Member("toolCalls", LimitSettings.CALLS, LimitSettings.CALLS_MAX, Limits::toolCalls),
                new Member("outputChars", LimitSettings.OUTPUT, LimitSettings.OUTPUT_MAX, Limits::outputChars));
    }

    @ParameterizedTest
    @MethodSource("members")
    void whoAsksForNoneHasTheDefault(Member limit) {
        assertThat(limit.of(limit.policy().resolve(RequestedLimits.NONE))).isEqualTo(limit.divided(DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("members")
    void aDefaultIsNeverMoreThanMayBeAskedFor(Member limit) {
        long most = limit.divided(MOST);
        assertThat(limit.of(limit.policy(most + 1, most).resolve(RequestedLimits.NONE)))
                .isEqualTo(most);
    }

    @ParameterizedTest
    @MethodSource("members")
    void asMuchAsTheMaximumMayBeAskedFor(Member limit) {
        long most = limit.divided(MOST);
        assertThat(limit.of(limit.policy().resolve(limit.asked(most)))).isEqualTo(most);
        assertThat(limit.of(limit.policy().resolve(limit.asked(1)))).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("members")
    void moreIsRefusedAndTheSettingThatHoldsIsNamed(Member limit) {
        long most = limit.divided(MOST);
        assertThatThrownBy(() -> limit.policy().resolve(limit.asked(most + 1)))
                .isInstanceOfSatisfying(
                        InvalidSubmissionException.class,
                        invalid -> assertThat(invalid.member()).isEqualTo("limits." + limit.member))
                .hasMessageContaining("to " + most + " (the server's " + limit.maximum.name() + "), not " + (most + 1));
        assertThatThrownBy(() -> limit.policy().resolve(limit.asked(-1)))
                .isInstanceOf(InvalidSubmissionException.class);
    }

    @ParameterizedTest
    @MethodSource("members")
    void whatWasAskedForBeforeHoldsAsFarAsItIsAllowedByNow(Member limit) {
        long most = limit.divided(MOST);
        Limits before = limit.policy().resolve(limit.asked(most));
        LimitPolicy stricter = limit.policy(most - 2, most - 1);
        assertThat(limit.of(stricter.resolve(stricter.of(before, RequestedLimits.NONE))))
                .isEqualTo(most - 1);
        assertThat(limit.of(stricter.resolve(stricter.of(before, limit.asked(7)))))
                .isEqualTo(7);
    }

    private static final Map<FurtherLimit, String> FURTHER = Map.of(
            FurtherLimit.CONCURRENT_CALLS, "concurrent-calls",
            FurtherLimit.RESULT_CHARS, "result-chars",
            FurtherLimit.ARGUMENT_CHARS, "call-argument-chars",
            FurtherLimit.TIMERS, "timers",
            FurtherLimit.ARTIFACTS, "artifacts",
            FurtherLimit.ARTIFACT_BYTES, "artifact-bytes",
            FurtherLimit.EVENTS, "events");

    private static LimitPolicy further(FurtherLimit limit, long usual, long most) {
        String name = FURTHER.getOrDefault(limit, "");
        return new LimitPolicy(Configuration.read(
                Map.of(
                        "sallyport.limits." + name,
                        Long.toString(usual),
                        "sallyport.limits.max-" + name,
                        Long.toString(most)),
                Map.of()));
    }

    private static RequestedLimits asked(FurtherLimit limit, long value) {
        RequestedLimits none = RequestedLimits.NONE;
        return new RequestedLimits(
                none.wallMillis(),
                none.cpuMillis(),
                none.heapBytes(),
                none.toolCalls(),
                none.outputChars(),
                none.cost(),
                Map.of(limit, value));
    }

    @ParameterizedTest
    @EnumSource
    void whatElseIsAskedForIsKeptWithTheExecutionAndNothingIsWhereNobodyAsks(FurtherLimit limit) {
        LimitPolicy policy = further(limit, 20, 30);
        assertThat(policy.resolve(RequestedLimits.NONE).further()).isEmpty();
        assertThat(policy.resolve(asked(limit, 30)).further()).isEqualTo(Map.of(limit, 30));
        assertThat(policy.resolve(asked(limit, 1)).further()).isEqualTo(Map.of(limit, 1));
        assertThatThrownBy(() -> policy.resolve(asked(limit, 31)))
                .isInstanceOfSatisfying(
                        InvalidSubmissionException.class,
                        invalid -> assertThat(invalid.member()).isEqualTo("limits." + limit.member()))
                .hasMessageContaining("to 30 (the server's sallyport.limits.max-" + FURTHER.get(limit) + "), not 31");
        assertThatThrownBy(() -> policy.resolve(asked(limit, -1))).isInstanceOf(InvalidSubmissionException.class);
    }

    @ParameterizedTest
    @EnumSource
    void asMuchAsHoldsWhereNobodyAsksMayAlwaysBeAskedFor(FurtherLimit limit) {
        assertThat(further(limit, 40, 30).resolve(asked(limit, 40)).further()).isEqualTo(Map.of(limit, 40));
    }

    @ParameterizedTest
    @EnumSource
    void whatElseWasAskedForBeforeHoldsAsFarAsItIsAllowedByNow(FurtherLimit limit) {
        Limits before = further(limit, 20, 30).resolve(asked(limit, 30));
        LimitPolicy stricter = further(limit, 10, 25);
        assertThat(stricter.resolve(stricter.of(before, RequestedLimits.NONE)).further())
                .isEqualTo(Map.of(limit, 25));
        assertThat(stricter.resolve(stricter.of(before, asked(limit, 7))).further())
                .isEqualTo(Map.of(limit, 7));
    }
}
