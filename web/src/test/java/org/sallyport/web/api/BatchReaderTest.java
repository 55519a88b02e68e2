package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchReaderTest {

    /**
     * A client that repeats a request with its idempotency key after an upgrade, or at a node of another version, must
     * receive the same batch.
     */
    @Test
    void idempotencyFingerprintOfBatchOptionsNeverChanges() {
        assertThat(new BatchReader.BatchOptions("true", null, "stop", null))
                .hasToString("Options[atomic=true, maxParallel=null, onFailure=stop]");
        assertThat(new BatchReader.BatchOptions(null, "3", null, "true"))
                .hasToString("Options[atomic=null, maxParallel=3, onFailure=null, shareReads=true]");
    }
}
