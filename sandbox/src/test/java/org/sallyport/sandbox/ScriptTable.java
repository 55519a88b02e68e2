package org.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Scripts with their expected ends, from a text file. Empty lines separate the blocks. A block has a line
 * {@code # title}, the script, and one expected end: {@code => result}, {@code =! code: words of the message},
 * {@code =! limit KIND: words}, {@code =! *: words} for any code, or {@code =! ?} for any end. A line {@code =< output}
 * or {@code =< length most} may follow.
 */
final class ScriptTable {

    record ScriptTableRow(
            String title,
            String code,
            String expectedEnd,
            @Nullable String expectedOutput) {
        @Override
        public String toString() {
            return title;
        }

        /** Returns whether the script is expected to return normally. */
        boolean shouldReturn() {
            return expectedEnd.startsWith("=> ");
        }

        void check(SessionResult ended, String printed) {
            if (expectedEnd.startsWith("=> ")) {
                assertThat(ended).isEqualTo(new SessionResult.ScriptReturned(expectedEnd.substring(3)));
            } else if (expectedEnd.startsWith("=! limit ")) {
                String[] wanted = expectedEnd.substring(9).split(": ", 2);
                assertThat(ended).isInstanceOfSatisfying(SessionResult.SessionLimitReached.class, reached -> {
                    assertThat(reached.limit().name()).isEqualTo(wanted[0]);
                    assertThat(reached.message()).contains(wanted[1]);
                });
            } else if (!expectedEnd.equals("=! ?")) {
                checkThrew(ended);
            }
            String wanted = expectedOutput;
            if (wanted != null && wanted.startsWith("length ")) {
                assertThat(printed).isNotEmpty().hasSizeLessThan(Integer.parseInt(wanted.substring(7)));
            } else if (wanted != null) {
                assertThat(printed.stripTrailing()).isEqualTo(wanted);
            }
        }

        private void checkThrew(SessionResult ended) {
            String[] wanted = expectedEnd.substring(3).split(":", 2);
            assertThat(ended).isInstanceOfSatisfying(SessionResult.ScriptThrew.class, threw -> {
                if (!wanted[0].equals("*")) {
                    assertThat(threw.code()).isEqualTo(wanted[0]);
                }
                assertThat(threw.message()).contains(wanted[1].strip());
                assertThat(threw.message()).hasSizeLessThan(10_100);
                assertThat(threw.stack()).doesNotContain("sallyport", "java", "graal");
            });
        }
    }

    private ScriptTable() {}

    static Stream<ScriptTableRow> rows(String name) {
        List<ScriptTableRow> rows = new ArrayList<>();
        for (String block : resource(name + ".table").split("\n\n+")) {
            List<String> code = new ArrayList<>();
            List<String> output = new ArrayList<>();
            String title = "";
            String end = "";
            for (String line : block.split("\n")) {
                if (!output.isEmpty()) {
                    output.add(line);
                } else if (line.startsWith("# ") && code.isEmpty()) {
                    title = line.substring(2);
                } else if (line.startsWith("=< ")) {
                    output.add(line.substring(3));
                } else if (line.startsWith("=> ") || line.startsWith("=! ")) {
                    end = line;
                } else {
                    code.add(line);
                }
            }
            assertThat(end).as(title).isNotEmpty();
            rows.add(new ScriptTableRow(
                    title, String.join("\n", code), end, output.isEmpty() ? null : String.join("\n", output)));
        }
        return rows.stream();
    }

    static String resource(String name) {
        try (InputStream stream = ScriptTable.class.getResourceAsStream(name)) {
            assertThat(stream).as(name).isNotNull();
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
