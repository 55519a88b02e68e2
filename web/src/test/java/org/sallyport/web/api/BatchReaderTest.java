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
        assertThat(new QueryBatchOptions("true", null, "stop", null, null, null, null, null).fingerprint())
                .isEqualTo("Options[atomic=true, maxParallel=null, onFailure=stop]");
        assertThat(new QueryBatchOptions(null, "3", null, "true", null, null, null, null).fingerprint())
                .isEqualTo("Options[atomic=null, maxParallel=3, onFailure=null, shareReads=true]");
        assertThat(new QueryBatchOptions(null, null, null, null, "shop.refund", "1.0.0", null, null).fingerprint())
                .isEqualTo("Options[atomic=null, maxParallel=null, onFailure=null, capability=shop.refund,"
                        + " version=1.0.0, integrity=null]");
        assertThat(new QueryBatchOptions(null, null, null, null, null, null, null, "true").fingerprint())
                .isEqualTo("Options[atomic=null, maxParallel=null, onFailure=null, coalesce=true]");
    }
}
