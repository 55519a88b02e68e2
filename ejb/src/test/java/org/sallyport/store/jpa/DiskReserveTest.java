package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.StoreUnavailableException;

class DiskReserveTest {
    @TempDir
    Path directory;

    @Test
    void writeIsRefusedWhenTheDiskIsNearlyFull() throws Exception {
        long free = Files.getFileStore(directory).getUsableSpace();
        String url = "jdbc:h2:file:" + directory.resolve("db") + ";WRITE_DELAY=0";

        assertThatThrownBy(() -> DiskReserve.of(url, 2 * free + 1).requireFreeSpace())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the disk of the database");
        assertThatCode(() -> DiskReserve.of(url, free / 2).requireFreeSpace()).doesNotThrowAnyException();
        assertThatCode(() -> DiskReserve.of(url, 0).requireFreeSpace()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:x", "jdbc:h2:tcp://localhost/x", "jdbc:postgresql://localhost/x"})
    void remoteDatabaseNeedsNoDiskReserve(String url) {
        assertThatCode(() -> DiskReserve.of(url, Long.MAX_VALUE).requireFreeSpace())
                .doesNotThrowAnyException();
    }
}
