package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataDirectoryTest {
    @TempDir
    Path directory;

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private Path existing(String permissions) throws IOException {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("sallyport.mv.db"), "scripts");
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString(permissions));
        return data;
    }

    @Test
    void newDirectoryIsAccessibleOnlyToItsOwner() throws IOException {
        Path data = directory.resolve("above/data");

        DataDirectory.createPrivately(data);

        assertThat(permissions(data)).isEqualTo("rwx------");
    }

    @ParameterizedTest
    @CsvSource({"rwxr-xr-x, rwx------", "rwxrwxrwx, rwx------", "rwx--x---, rwx------", "r-x---r-x, r-x------"})
    void existingDirectoryIsClosedToOtherUsers(String before, String after) throws IOException {
        Path data = existing(before);

        DataDirectory.createPrivately(data);

        assertThat(permissions(data)).isEqualTo(after);
        assertThat(data.resolve("sallyport.mv.db")).hasContent("scripts");
    }

    @Test
    void directoryOfAnotherUserIsRefused() throws IOException {
        Path data = existing("rwxr-xr-x");
        UserPrincipal other = new OtherUser("bob");

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> DataDirectory.createPrivately(data, Optional.of(other)))
                .withMessageStartingWith("it belongs to ")
                .withMessageEndingWith(", and this command runs as bob");
        assertThat(permissions(data)).isEqualTo("rwxr-xr-x");
    }

    /** A user who sets the data directory to such a directory by mistake must not close it to all others. */
    @Test
    void directoryWithOtherProgramsIsRefused() throws IOException {
        Path shared = existing("rwxrwxrwx");
        // With the sticky bit, as /tmp.
        Files.setAttribute(shared, "unix:mode", 0b1_111_111_111);

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> DataDirectory.createPrivately(shared))
                .withMessageStartingWith("other programs use it");
        assertThat(permissions(shared)).isEqualTo("rwxrwxrwx");
    }

    private record OtherUser(String name) implements UserPrincipal {
        @Override
        public String getName() {
            return name;
        }
    }
}
