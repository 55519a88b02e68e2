package org.sallyport.sandbox.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;

/** What scans a text before a parser reads it takes time that is linear in its length. */
@Tag("slow")
class LinearScanTest {
    private static final int REPETITIONS = 200_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** In a text ⏎ stands for a line end. */
    @ParameterizedTest
    @ValueSource(
            strings = {
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
                "⏎"
            })
    void scansAreLinear(String piece) {
        String text = piece.replace('⏎', '\n').repeat(REPETITIONS);
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
        assertThat(THREADS.getCurrentThreadCpuTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
    }
}
