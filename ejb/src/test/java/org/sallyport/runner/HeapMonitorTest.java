package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapMonitorTest {
    @Test
    void liveHeapAfterAGarbageCollectionCounts() {
        List<byte[]> kept = new ArrayList<>();
        kept.add(new byte[8 << 20]);
        System.gc();

        assertThat(new HeapMonitor(0).getAsBoolean()).isTrue();
        assertThat(new HeapMonitor(100).getAsBoolean()).isFalse();
        assertThat(kept).hasSize(1);
    }
}
