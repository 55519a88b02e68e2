package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/** What scans a text before a parser reads it takes time that is linear in its length. */
class LinearScanTest {
    private static final int LONG_REPETITIONS = 200_000;
    private static final int SHORT_REPETITIONS = 20_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** In a text ⏎ stands for a line end. */
    private static final List<String> PIECES = List.of(
            ".",
            "...a",
            ",",
            ", ",
            "\\/",
            "/[",
            "+/",
            "await/*",
            "await ",
            "await//",
            "a ```⏎",
            "a ```js⏎",
            "> ```⏎",
            "> a ```⏎",
            "- ```js⏎",
            "~~~a⏎",
            "``",
            "`⏎",
            "/*",
            "*/",
            "a<b",
            "a<",
            " ",
            "⏎",
            "=/[",
            "`${",
            "}",
            "<!--",
            "\\u{");

    static Stream<String> pieces() {
        return PIECES.stream();
    }

    @ParameterizedTest
    @MethodSource("pieces")
    void scansAreLinear(String piece) {
        assertScansAreLinear(piece, SHORT_REPETITIONS, 2);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("pieces")
    void scansOfLongTextsAreLinear(String piece) {
        assertScansAreLinear(piece, LONG_REPETITIONS, 10);
    }

    /** Limits the time that this thread computes, which does not depend on the load of the machine. */
    private static void assertScansAreLinear(String piece, int repetitions, long maxSeconds) {
        String text = piece.replace('⏎', '\n').repeat(repetitions);
        long start = THREADS.getCurrentThreadCpuTime();
        for (String code : new String[] {text, "/*" + text + "*/ return 1", text + "\n```js\nreturn 1\n```"}) {
            Script script = new Script(code, SourceLanguage.UNSPECIFIED);
            assertThat(NestingLimit.isTooDeep(code)).isIn(true, false);
            assertThat(RestElementCheck.isCandidate(code)).isIn(true, false);
            assertThat(AwaitLineJoiner.isCandidate(code)).isIn(true, false);
            assertThat(LanguageResolver.isCandidate(code)).isIn(true, false);
            assertThat(ReferenceScan.of(script).modules()).isEmpty();
            assertThat(SourceText.onlyCandidate(script).isPresent()).isIn(true, false);
        }
        assertThat(THREADS.getCurrentThreadCpuTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(maxSeconds));
    }
}
