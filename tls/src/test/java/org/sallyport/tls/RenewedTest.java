package org.sallyport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenewedTest {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private int made;
    private final Renewed<String> renewed = new Renewed<>(
            new Renewed.Source<>() {
                @Override
                public List<FileBytes> content() throws UnusableException {
                    return List.of(FileBytes.of(file(), "the.setting"));
                }

                @Override
                public String made(List<FileBytes> content, Instant time) throws UnusableException {
                    made++;
                    String text = new String(content.get(0).bytes(), StandardCharsets.UTF_8);
                    if (text.startsWith("bad")) {
                        throw new UnusableException("the.setting", text);
                    }
                    return text;
                }
            },
            PAUSE,
            () -> now);

    private Path file() {
        return directory.resolve("file");
    }

    @BeforeEach
    void write() throws IOException {
        Files.writeString(file(), "one");
    }

    private void later(Duration time) {
        now = now.plus(time);
    }

    @Test
    void isReadAgainOnceThePauseIsOver() throws Exception {
        assertThat(renewed.value()).isEqualTo("one");
        Files.writeString(file(), "two");

        later(PAUSE.minusMillis(1));
        assertThat(renewed.value()).isEqualTo("one");
        later(Duration.ofMillis(1));
        assertThat(renewed.value()).isEqualTo("two");
    }

    @Test
    void theSameContentIsNotMadeAgain() throws Exception {
        for (int i = 0; i < 5; i++) {
            renewed.value();
            Files.writeString(file(), "one");
            later(PAUSE);
        }
        assertThat(made).isEqualTo(1);
    }

    @Test
    void whatCannotBeUsedLeavesWhatWasThereAndIsTriedAgain() throws Exception {
        renewed.value();
        Files.writeString(file(), "bad: half");
        later(PAUSE);
        assertThat(renewed.value()).isEqualTo("one");
        Files.delete(file());
        later(PAUSE);
        assertThat(renewed.value()).isEqualTo("one");

        Files.writeString(file(), "two");
        later(PAUSE);
        assertThat(renewed.value()).isEqualTo("two");
    }

    @Test
    void withoutAFirstThereIsNothing() throws Exception {
        Files.writeString(file(), "bad");

        assertThatThrownBy(renewed::value).isInstanceOf(UnusableException.class).hasMessage("the.setting: bad");
        Files.writeString(file(), "one");
        assertThat(renewed.value()).isEqualTo("one");
    }

    @Test
    void aClockThatWasSetBackDoesNotKeepIt() throws Exception {
        renewed.value();
        Files.writeString(file(), "two");

        later(Duration.ofHours(-1));
        assertThat(renewed.value()).isEqualTo("two");
    }
}
