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

        try (SpooledBody body = SpooledBody.of(looksWhatAKillWouldLeave, 10, directory())) {
            assertThat(files()).isEmpty();
            assertThat(body.slice(0, 3)).asString(StandardCharsets.UTF_8).isEqualTo("xxx");
        }
    }

    @Test
    void bodyCanBeReadRepeatedlyAndConcurrently() throws IOException {
        try (SpooledBody body = SpooledBody.of(text("{\"é\": 1}"), 10, directory())) {
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
        assertThatThrownBy(() -> SpooledBody.of(text("12345"), 4, directory())).isInstanceOf(ProblemException.class);
        assertThat(files()).isEmpty();
    }
}
