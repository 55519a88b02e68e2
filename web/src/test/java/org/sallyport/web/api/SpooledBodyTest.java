package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class SpooledBodyTest {
    @TempDir
    private Path home;

    private Path directory() {
        return home.resolve("batches");
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.list(directory())) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream text(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void processKilledDuringABodyLeavesNoFile() {
        InputStream looksWhatAKillWouldLeave = new InputStream() {
            private int left = 3;

            @Override
            public int read() {
                assertThat(files()).isEmpty();
                return left-- > 0 ? 'x' : -1;
            }
        };

        try (SpooledBody body = spool(looksWhatAKillWouldLeave, directory())) {
            assertThat(files()).isEmpty();
            assertThat(body.slice(0, 3)).asString(StandardCharsets.UTF_8).isEqualTo("xxx");
        }
    }

    @Test
    void bodyCanBeReadRepeatedlyAndConcurrently() throws IOException {
        try (SpooledBody body = spool(text("{\"é\": 1}"), directory())) {
            try (InputStream first = body.read();
                    InputStream second = body.read()) {
                assertThat(first.read()).isEqualTo('{');
                assertThat(new String(second.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"é\": 1}");
                assertThat(second.read()).isEqualTo(-1);
                assertThat(new String(first.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("\"é\": 1}");
            }
            assertThat(body.slice(1, 5)).asString(StandardCharsets.UTF_8).isEqualTo("\"é\"");
        }
    }

    @Test
    void oversizedBodyIsRefusedAndDeleted() {
        SpoolDirectory spools = new SpoolDirectory(directory(), 100, 0);
        assertThatThrownBy(() -> SpooledBody.of(text("12345"), 4, spools, "a")).isInstanceOf(ProblemException.class);
        assertThat(files()).isEmpty();
    }

    @Test
    void bodiesShareABudgetOfTheDisk() {
        SpoolDirectory spools = new SpoolDirectory(directory(), 20, 0);
        try (SpooledBody first = SpooledBody.of(text("1234567890"), 10, spools, "a")) {
            assertThat(first.size()).isEqualTo(10);
            assertThat(problem(spools, "1", "a")).isEqualTo(ProblemType.UNAVAILABLE);
            try (SpooledBody other = SpooledBody.of(text("123456"), 10, spools, "b")) {
                assertThat(other.size()).isEqualTo(6);
                assertThat(problem(spools, "12345", "c")).isEqualTo(ProblemType.UNAVAILABLE);
            }
        }
        assertThat(problem(spools, "12345678901", "a"))
                .as("larger than the half that one tenant may have")
                .isEqualTo(ProblemType.PAYLOAD_TOO_LARGE);
        try (SpooledBody second = SpooledBody.of(text("1234567890"), 10, spools, "a")) {
            assertThat(second.size()).isEqualTo(10);
        }
    }

    @Test
    void bodiesLeaveThePartOfTheDiskThatIsReserved() {
        SpoolDirectory spools = new SpoolDirectory(directory(), 100, Long.MAX_VALUE / 2);

        assertThat(problem(spools, "1", "a")).isEqualTo(ProblemType.UNAVAILABLE);
        assertThat(files()).isEmpty();
    }

    private static ProblemType problem(SpoolDirectory spools, String body, String tenant) {
        return ProblemAssertions.problemOf(() -> SpooledBody.of(text(body), 100, spools, tenant))
                .type();
    }

    /** Spools a body of at most a million bytes. */
    static SpooledBody spool(InputStream in, Path directory) {
        return SpooledBody.of(in, 1_000_000, new SpoolDirectory(directory, 2_000_000, 0), "tenant");
    }
}
