package org.sallyport.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformFilesTest {
    @TempDir
    Path directory;

    @Test
    void whatALifeThatWasKilledHasLeftIsRemovedByTheNext() throws IOException {
        Path killed = unpacked("payaramicro-rt1tmp");
        Path next = unpacked("payaramicro-rt2tmp");

        PlatformFiles.tidy(data(), killed);
        PlatformFiles.tidy(data(), next);
        PlatformFiles.tidy(data(), next);

        assertThat(killed).doesNotExist();
        assertThat(next.resolve("lib/some.jar")).exists();
        assertThat(data().resolve("run/platform")).hasContent(next.toString());
    }

    @Test
    void linksAreNotFollowedAndNothingElseIsTouched() throws IOException {
        Path precious = Files.writeString(
                Files.createDirectories(directory.resolve("precious")).resolve("file"), "");
        Path killed = unpacked("payaramicro-rt1tmp");
        Files.createSymbolicLink(killed.resolve("link"), precious.resolveSibling(""));
        Path note = Files.createDirectories(data().resolve("run")).resolve("platform");
        Files.write(note, List.of(killed.toString(), precious.resolveSibling("").toString(), "", "payaramicro-rt9tmp"));

        PlatformFiles.tidy(data(), unpacked("payaramicro-rt2tmp"));

        assertThat(killed).doesNotExist();
        assertThat(precious).exists();
    }

    @Test
    void anUnreadableNoteIsReplaced() throws IOException {
        Path note = Files.createDirectories(data().resolve("run")).resolve("platform");
        Files.write(note, new byte[] {(byte) 0xff, 0, '\n'});
        Path own = unpacked("payaramicro-rt2tmp");

        PlatformFiles.tidy(data(), own);
        PlatformFiles.tidy(data(), own);

        assertThat(note).hasContent(own.toString());
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Path unpacked(String name) throws IOException {
        Path there = directory.resolve(name);
        Files.writeString(Files.createDirectories(there.resolve("lib")).resolve("some.jar"), "");
        return there;
    }
}
