package org.sallyport.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryLockTest {
    @TempDir
    private Path data;

    @Test
    void dataDirectoryHasOneUserAtATime() throws Exception {
        try (DataDirectoryLock first = DataDirectoryLock.acquire(data)) {
            assertThatThrownBy(() -> DataDirectoryLock.acquire(data))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another process uses the data directory " + data)
                    .hasMessageContaining("sallyport.data");
        }
        DataDirectoryLock.acquire(data).close();
    }
}
