package org.sallyport.wiring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataLockTest {
    @TempDir
    private Path data;

    @Test
    void aDirectoryHasOneUserAtATime() throws Exception {
        try (DataLock first = DataLock.take(data)) {
            assertThatThrownBy(() -> DataLock.take(data))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another process uses the data directory " + data)
                    .hasMessageContaining("sallyport.data");
        }
        DataLock.take(data).close();
    }
}
