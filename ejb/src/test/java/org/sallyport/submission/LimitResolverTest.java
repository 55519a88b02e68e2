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
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.ExecutionLimits;

class LimitResolverTest {
    private static final long DEFAULT = 2L << 20;
    private static final long MOST = 3L << 20;

    private record LimitMember(
            String member, Setting<?> standard, Setting<?> maximum, ToLongFunction<ExecutionLimits> value) {
        @Override
        public String toString() {
            return member;
        }

        long of(ExecutionLimits limits) {
            return value.applyAsLong(limits);
        }

        long divided(long much) {
            // The upper bound of tool calls is one million.
            return member.equals("toolCalls") ? much / 10 : much;
        }

        LimitResolver policy() {
            return policy(divided(DEFAULT), divided(MOST));
        }

        LimitResolver policy(long usual, long max) {
            return new LimitResolver(Configuration.read(
                    Map.of(standard.name(), Long.toString(usual), maximum.name(), Long.toString(max)), Map.of()));
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

    static Stream<LimitMember> members() {
        return Stream.of(
                new LimitMember(
                        "wallMillis",
                        LimitSettings.DEFAULT_WALL_TIME,
                        LimitSettings.MAX_WALL_TIME,
                        ExecutionLimits::wallMillis),
                new LimitMember(
                        "cpuMillis",
                        LimitSettings.DEFAULT_CPU_TIME,
                        LimitSettings.MAX_CPU_TIME,
                        ExecutionLimits::cpuMillis),
                new LimitMember(
                        "heapBytes",
                        LimitSettings.DEFAULT_HEAP_BYTES,
                        LimitSettings.MAX_HEAP_BYTES,
                        ExecutionLimits::heapBytes),
                new LimitMember(
                        "toolCalls",
                        LimitSettings.DEFAULT_TOOL_CALLS,
                        LimitSettings.MAX_TOOL_CALLS,
                        ExecutionLimits::toolCalls),
                new LimitMember(
                        "outputChars",
                        LimitSettings.DEFAULT_OUTPUT_CHARS,
                        LimitSettings.MAX_OUTPUT_CHARS,
                        ExecutionLimits::outputChars));
    }

    @ParameterizedTest
    @MethodSource("members")
    void missingLimitHasTheDefault(LimitMember limit) {
        assertThat(limit.of(limit.policy().resolve(RequestedLimits.NONE))).isEqualTo(limit.divided(DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("members")
    void defaultNeverExceedsTheMaximum(LimitMember limit) {
        long max = limit.divided(MOST);
        assertThat(limit.of(limit.policy(max + 1, max).resolve(RequestedLimits.NONE)))
                .isEqualTo(max);
    }

    @ParameterizedTest
    @MethodSource("members")
    void limitUpToTheMaximumIsAccepted(LimitMember limit) {
        long max = limit.divided(MOST);
        assertThat(limit.of(limit.policy().resolve(limit.asked(max)))).isEqualTo(max);
        assertThat(limit.of(limit.policy().resolve(limit.asked(1)))).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("members")
    void limitAboveTheMaximumIsRefusedWithItsSetting(LimitMember limit) {
        long max = limit.divided(MOST);
        assertThatThrownBy(() -> limit.policy().resolve(limit.asked(max + 1)))
                .isInstanceOfSatisfying(
                        InvalidSubmissionException.class,
                        invalid -> assertThat(invalid.member()).isEqualTo("limits." + limit.member))
                .hasMessageContaining("to " + max + " (the server's " + limit.maximum.name() + "), not " + (max + 1));
        assertThatThrownBy(() -> limit.policy().resolve(limit.asked(-1)))
                .isInstanceOf(InvalidSubmissionException.class);
    }

    @ParameterizedTest
    @MethodSource("members")
    void inheritedLimitIsReducedToTheCurrentMaximum(LimitMember limit) {
        long max = limit.divided(MOST);
        ExecutionLimits before = limit.policy().resolve(limit.asked(max));
        LimitResolver stricter = limit.policy(max - 2, max - 1);
        assertThat(limit.of(stricter.resolve(stricter.inherit(before, RequestedLimits.NONE))))
                .isEqualTo(max - 1);
        assertThat(limit.of(stricter.resolve(stricter.inherit(before, limit.asked(7)))))
                .isEqualTo(7);
    }

    private static final Map<AdditionalLimit, String> FURTHER = Map.of(
            AdditionalLimit.CONCURRENT_CALLS, "concurrent-calls",
            AdditionalLimit.RESULT_CHARS, "result-chars",
            AdditionalLimit.ARGUMENT_CHARS, "call-argument-chars",
            AdditionalLimit.TIMERS, "timers",
            AdditionalLimit.ARTIFACTS, "artifacts",
            AdditionalLimit.ARTIFACT_BYTES, "artifact-bytes",
            AdditionalLimit.EVENTS, "events",
            AdditionalLimit.JOURNAL_BYTES, "journal-bytes");

    private static LimitResolver further(AdditionalLimit limit, long usual, long max) {
        String name = FURTHER.getOrDefault(limit, "");
        return new LimitResolver(Configuration.read(
                Map.of(
                        "sallyport.limits.default-" + name,
                        Long.toString(usual),
                        "sallyport.limits.max-" + name,
                        Long.toString(max)),
                Map.of()));
    }

    private static RequestedLimits asked(AdditionalLimit limit, long value) {
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
    void additionalLimitIsStoredOnlyWhenRequested(AdditionalLimit limit) {
        LimitResolver policy = further(limit, 20, 30);
        assertThat(policy.resolve(RequestedLimits.NONE).additional()).isEmpty();
        assertThat(policy.resolve(asked(limit, 30)).additional()).isEqualTo(Map.of(limit, 30));
        assertThat(policy.resolve(asked(limit, 1)).additional()).isEqualTo(Map.of(limit, 1));
        assertThatThrownBy(() -> policy.resolve(asked(limit, 31)))
                .isInstanceOfSatisfying(
                        InvalidSubmissionException.class,
                        invalid -> assertThat(invalid.member()).isEqualTo("limits." + limit.member()))
                .hasMessageContaining("to 30 (the server's sallyport.limits.max-" + FURTHER.get(limit) + "), not 31");
        assertThatThrownBy(() -> policy.resolve(asked(limit, -1))).isInstanceOf(InvalidSubmissionException.class);
    }

    @ParameterizedTest
    @EnumSource
    void defaultOfAnAdditionalLimitMayAlwaysBeRequested(AdditionalLimit limit) {
        assertThat(further(limit, 40, 30).resolve(asked(limit, 40)).additional())
                .isEqualTo(Map.of(limit, 40));
    }

    @ParameterizedTest
    @EnumSource
    void inheritedAdditionalLimitIsReducedToTheCurrentMaximum(AdditionalLimit limit) {
        ExecutionLimits before = further(limit, 20, 30).resolve(asked(limit, 30));
        LimitResolver stricter = further(limit, 10, 25);
        assertThat(stricter.resolve(stricter.inherit(before, RequestedLimits.NONE))
                        .additional())
                .isEqualTo(Map.of(limit, 25));
        assertThat(stricter.resolve(stricter.inherit(before, asked(limit, 7))).additional())
                .isEqualTo(Map.of(limit, 7));
    }
}
