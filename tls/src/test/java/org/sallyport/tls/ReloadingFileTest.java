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

class ReloadingFileTest {
    private static final Duration RELOAD_INTERVAL = Duration.ofSeconds(10);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private int parseCount;
    private final ReloadingFile<String> reloadingFile = new ReloadingFile<>(
            new ReloadingFile.FileParser<>() {
                @Override
                public List<FileSnapshot> readFiles() throws TlsConfigurationException {
                    return List.of(FileSnapshot.of(file(), "the.setting"));
                }

                @Override
                public String parse(List<FileSnapshot> content, Instant time) throws TlsConfigurationException {
                    parseCount++;
                    String text = new String(content.get(0).bytes(), StandardCharsets.UTF_8);
                    if (text.startsWith("bad")) {
                        throw new TlsConfigurationException("the.setting", text);
                    }
                    return text;
                }
            },
            RELOAD_INTERVAL,
            () -> now);

    private Path file() {
        return directory.resolve("file");
    }

    @BeforeEach
    void write() throws IOException {
        Files.writeString(file(), "one");
    }

    private void advance(Duration time) {
        now = now.plus(time);
    }

    @Test
    void fileIsReadAgainAfterTheInterval() throws Exception {
        assertThat(reloadingFile.value()).isEqualTo("one");
        Files.writeString(file(), "two");

        advance(RELOAD_INTERVAL.minusMillis(1));
        assertThat(reloadingFile.value()).isEqualTo("one");
        advance(Duration.ofMillis(1));
        assertThat(reloadingFile.value()).isEqualTo("two");
    }

    @Test
    void unchangedContentIsNotParsedAgain() throws Exception {
        for (int i = 0; i < 5; i++) {
            reloadingFile.value();
            Files.writeString(file(), "one");
            advance(RELOAD_INTERVAL);
        }
        assertThat(parseCount).isEqualTo(1);
    }

    @Test
    void unusableFileKeepsTheLastValueAndIsRetried() throws Exception {
        reloadingFile.value();
        Files.writeString(file(), "bad: half");
        advance(RELOAD_INTERVAL);
        assertThat(reloadingFile.value()).isEqualTo("one");
        Files.delete(file());
        advance(RELOAD_INTERVAL);
        assertThat(reloadingFile.value()).isEqualTo("one");

        Files.writeString(file(), "two");
        advance(RELOAD_INTERVAL);
        assertThat(reloadingFile.value()).isEqualTo("two");
    }

    @Test
    void unusableFirstFileIsAnErrorUntilItIsRepaired() throws Exception {
        Files.writeString(file(), "bad");

        assertThatThrownBy(reloadingFile::value)
                .isInstanceOf(TlsConfigurationException.class)
                .hasMessage("the.setting: bad");
        Files.writeString(file(), "one");
        assertThat(reloadingFile.value()).isEqualTo("one");
    }

    @Test
    void clockSetBackDoesNotDelayTheReload() throws Exception {
        reloadingFile.value();
        Files.writeString(file(), "two");

        advance(Duration.ofHours(-1));
        assertThat(reloadingFile.value()).isEqualTo("two");
    }
}
