package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LogExcerptTest {
    @Test
    void severeRecordsAreKeptWithoutStackFrames() {
        List<String> log = List.of(
                "[2026-01-01T00:00:00.000+0000] [] [INFO] [] [x] starting",
                "[2026-01-01T00:00:01.000+0000] [] [\u001b[1;91mSEVERE\u001b[0m] [] [x] [[",
                "  Exception while loading: wrong setting",
                "\tat org.example.Loader.load(Loader.java:1)",
                "\t... 12 more",
                "]]",
                "",
                "[2026-01-01T00:00:02.000+0000] [] [INFO] [] [x] [[",
                "  { \"Deployed\": [ ] }]]");

        assertThat(LogExcerpt.extract(log))
                .containsExactly(
                        "[2026-01-01T00:00:01.000+0000] [] [SEVERE] [] [x] [[",
                        "  Exception while loading: wrong setting");
    }

    @Test
    void jsonRecordsAreRecognized() {
        String error = "{\"time\":\"2026-01-01T00:00:01.000Z\",\"level\":\"ERROR\",\"message\":\"wrong setting\"}";

        assertThat(LogExcerpt.extract(List.of(
                        "{\"time\":\"2026-01-01T00:00:00.000Z\",\"level\":\"INFO\",\"message\":\"starting\"}",
                        error,
                        "{\"time\":\"2026-01-01T00:00:02.000Z\",\"level\":\"INFO\",\"message\":\"more\"}")))
                .containsExactly(error);
    }

    @Test
    void lastLinesAreUsedWithoutASevereRecord() {
        assertThat(LogExcerpt.extract(List.of("Error: Unable to access jarfile x.jar", "")))
                .containsExactly("Error: Unable to access jarfile x.jar");
    }
}
