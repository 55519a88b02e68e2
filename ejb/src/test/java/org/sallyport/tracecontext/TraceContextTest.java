package org.sallyport.tracecontext;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers of W3C Trace Context, valid and invalid. */
class TraceContextTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String GOOD = "00-" + TRACE + "-" + SPAN + "-01";

    @Test
    void validTraceparentIsParsed() {
        TraceContext context = TraceContext.of(GOOD, "a=1, b@c=2").orElseThrow();

        assertThat(context.traceId()).isEqualTo(TRACE);
        assertThat(context.parent()).contains(SPAN);
        assertThat(context.isSampled()).isTrue();
        assertThat(context.state()).isEqualTo("a=1,b@c=2");
        assertThat(context.traceparent("1234567890abcdef")).isEqualTo("00-" + TRACE + "-1234567890abcdef-01");
    }

    static Stream<String> bad() {
        Stream<String> written = Stream.of(
                "",
                " ",
                "00",
                GOOD + " ",
                " " + GOOD,
                GOOD + "\n",
                GOOD + "-",
                GOOD + "-00",
                GOOD + "," + GOOD,
                GOOD.replace("-", "_"),
                "ff" + GOOD.substring(2),
                "FF" + GOOD.substring(2),
                "0" + GOOD,
                GOOD.substring(1),
                "cc" + GOOD.substring(2) + "x",
                "cc" + GOOD.substring(2) + "-" + "0".repeat(1_000),
                "00-" + TRACE.toUpperCase(java.util.Locale.ROOT) + "-" + SPAN + "-01",
                "00-" + TRACE + "-" + SPAN.toUpperCase(java.util.Locale.ROOT) + "-01",
                "00-" + "0".repeat(32) + "-" + SPAN + "-01",
                "00-" + TRACE + "-" + "0".repeat(16) + "-01",
                "00-" + TRACE + "-" + SPAN + "-0",
                "00-" + TRACE + "-" + SPAN + "-0x",
                "00-" + TRACE + "-" + SPAN + "-0A",
                "00-" + TRACE + "0-" + SPAN + "-01",
                "00-" + TRACE.substring(1) + "-0" + SPAN + "-01",
                "00-" + TRACE.substring(1) + "\u0661-" + SPAN + "-01",
                "00-" + TRACE.substring(1) + "\u0000-" + SPAN + "-01",
                "00-" + TRACE.substring(1) + "g-" + SPAN + "-01",
                "a".repeat(1_000_000));
        // The valid header with each character replaced by an invalid one.
        Stream<String> changed = IntStream.range(0, GOOD.length())
                .boxed()
                .flatMap(at -> Stream.of('G', '-', '\u00e9', ' ')
                        .filter(c -> GOOD.charAt(at) != c)
                        .map(c -> GOOD.substring(0, at) + c + GOOD.substring(at + 1)));
        Stream<String> cut = IntStream.range(0, GOOD.length()).mapToObj(length -> GOOD.substring(0, length));
        return Stream.of(written, changed, cut).flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("bad")
    void invalidTraceparentIsIgnored(String traceparent) {
        assertThat(TraceContext.of(traceparent, "a=1")).isEmpty();
        assertThat(TraceHeaders.of(traceparent, "a=1")).isEmpty();
        assertThat(TraceContext.fromStored(traceparent).flatMap(TraceContext::parent))
                .isEmpty();
    }

    @Test
    void missingTraceparentIsIgnored() {
        assertThat(TraceContext.of(null, "a=1")).isEmpty();
    }

    @Test
    void randomHeadersAreIgnored() {
        Random random = new Random(20_261_122);
        for (int i = 0; i < 20_000; i++) {
            String noise = random.ints(random.nextInt(80), 0, 0x180)
                    .mapToObj(Character::toString)
                    .collect(Collectors.joining());
            assertThat(TraceContext.of(noise, noise)).isEmpty();
            assertThat(TraceContext.of(GOOD, noise).orElseThrow().state()).matches("[\\x20-\\x7e]*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "-more", "-\u00e9\u0000"})
    void laterVersionIsParsedAndForwardedAsVersionZero(String more) {
        TraceContext context =
                TraceContext.of("cc" + GOOD.substring(2) + more, null).orElseThrow();

        assertThat(context.traceparent(SPAN)).isEqualTo(GOOD);
    }

    @ParameterizedTest
    @CsvSource({"00, 0, false", "01, 1, true", "02, 2, false", "03, 3, true", "ff, 3, true", "08, 0, false"})
    void onlyKnownFlagsAreForwarded(String given, int kept, boolean sampled) {
        TraceContext context =
                TraceContext.of("00-" + TRACE + "-" + SPAN + "-" + given, null).orElseThrow();

        assertThat(context.flags()).isEqualTo(kept);
        assertThat(context.isSampled()).isEqualTo(sampled);
        assertThat(context.traceparent(SPAN)).endsWith("-0" + kept);
    }

    static Stream<String> badStates() {
        String long512 = "a=" + "x".repeat(256);
        return Stream.of(
                "a",
                "=1",
                "a=",
                "A=1",
                "a=1,a=2",
                "a=1;b=2\u0000",
                "a=1,b=\u00e9",
                "a==1",
                "a =1",
                "a@=1",
                "@a=1",
                "a@b@c=1",
                "a@1b=1",
                "a@bbbbbbbbbbbbbbb=1",
                "a=1\n,b=2",
                "a=1\u000bb",
                "a=" + "x".repeat(257),
                "a".repeat(257) + "=1",
                long512 + ",b=" + "x".repeat(256),
                IntStream.range(0, 33).mapToObj(i -> "k" + i + "=1").collect(Collectors.joining(",")));
    }

    @ParameterizedTest
    @MethodSource("badStates")
    void invalidTracestateIsDroppedAndTheTraceKept(String state) {
        assertThat(TraceContext.of(GOOD, state)).contains(new TraceContext(TRACE, Optional.of(SPAN), 1, ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1 | a=1",
                "' a=1\t,, b=2 ,' | a=1,b=2",
                "0a_-*/=1 | 0a_-*/=1",
                "t1@s1=x y!~ | t1@s1=x y!~",
                "'a= x' | 'a= x'"
            })
    void validTracestateIsForwarded(String given, String kept) {
        assertThat(TraceContext.of(GOOD, given).orElseThrow().state()).isEqualTo(kept);
    }

    @Test
    void tracestateIsForwardedUpToItsMaximumLength() {
        String state = "a=" + "x".repeat(253) + ",b=" + "y".repeat(253);
        assertThat(state).hasSize(TraceState.MAX_LENGTH - 1);

        assertThat(TraceContext.of(GOOD, state + " ").orElseThrow().state()).isEqualTo(state);
        assertThat(TraceContext.of(GOOD, state + "  ").orElseThrow().state()).isEmpty();
    }

    @Test
    void storedTraceContextRoundTrips() {
        TraceContext callers = TraceContext.of(GOOD, "a=1;2,b=2").orElseThrow();
        TraceContext own = new TraceSampler(1)
                .startTrace(UUID.randomUUID(), Optional.empty())
                .orElseThrow();

        assertThat(TraceContext.fromStored(callers.toStoredText())).contains(callers);
        assertThat(TraceContext.fromStored(own.toStoredText())).contains(own);
        assertThat(callers.toStoredText().length()).isLessThanOrEqualTo(600);
    }

    @Test
    void spanIdsAreDeterministicAndDistinct() {
        UUID one = UUID.randomUUID();
        UUID other = UUID.randomUUID();

        assertThat(SpanIdGenerator.callSpanId(one, 7))
                .isEqualTo(SpanIdGenerator.callSpanId(one, 7))
                .matches("[0-9a-f]{16}");
        assertThat(Stream.of(
                        SpanIdGenerator.executionSpanId(one),
                        SpanIdGenerator.executionSpanId(other),
                        SpanIdGenerator.callSpanId(one, 7),
                        SpanIdGenerator.callSpanId(one, 8),
                        SpanIdGenerator.callSpanId(other, 7),
                        SpanIdGenerator.waitSpanId(one, 7),
                        SpanIdGenerator.approvalSpanId(one)))
                .doesNotHaveDuplicates();
    }

    @Test
    void samplingDecisionOfTheCallerOverridesTheRatio() {
        TraceContext yes = TraceContext.of(GOOD, null).orElseThrow();
        TraceContext no = TraceContext.of(GOOD.replace("-01", "-00"), null).orElseThrow();

        assertThat(new TraceSampler(0).startTrace(UUID.randomUUID(), Optional.of(yes)))
                .contains(yes);
        assertThat(new TraceSampler(1).startTrace(UUID.randomUUID(), Optional.of(no)))
                .contains(no);
        assertThat(TraceSampler.OFF.startTrace(UUID.randomUUID(), Optional.of(yes)))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.25, 0.5, 1})
    void sampledShareMatchesTheRatio(double ratio) {
        TraceSampler sampler = new TraceSampler(ratio);
        int all = 20_000;
        long sampled = IntStream.range(0, all)
                .mapToObj(i -> new UUID(i, 0x8000_0000_0000_0000L + i))
                .map(id -> sampler.startTrace(id, Optional.empty()).orElseThrow())
                .filter(TraceContext::isSampled)
                .count();

        assertThat(sampled / (double) all).isBetween(ratio - 0.015, ratio + 0.015);
    }
}
