package org.sallyport.web.api;

import java.util.function.LongConsumer;

/** Reserves the memory of the largest item of a batch so far: its items are read one after another. Not thread-safe. */
final class LargestItemMemory {
    private final LongConsumer memory;
    private long reserved;

    /** @param memory reserves more bytes, until the batch is stored */
    LargestItemMemory(LongConsumer memory) {
        this.memory = memory;
    }

    /** Reserves the bytes that one item needs; none if an earlier item needed as many. */
    void reserve(long bytes) {
        if (bytes > reserved) {
            memory.accept(bytes - reserved);
            reserved = bytes;
        }
    }
}
