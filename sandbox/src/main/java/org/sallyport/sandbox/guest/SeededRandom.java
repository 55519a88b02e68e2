package org.sallyport.sandbox.guest;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The random numbers of one session: the same seed gives the same sequence on every runtime. Each block is the SHA-256
 * of the seed and a counter. Not thread-safe.
 */
final class SeededRandom {
    private static final SecureRandom SEED_SOURCE = new SecureRandom();
    private static final int SEED_BYTES = 32;
    private static final int BLOCK_BYTES = 32;
    private static final int BLOCKS_PER_DRAW = 16;

    private final byte[] seed;
    private long blockCounter;

    SeededRandom(byte[] seed) {
        this.seed = seed.clone();
    }

    static byte[] newSeed() {
        byte[] seed = new byte[SEED_BYTES];
        SEED_SOURCE.nextBytes(seed);
        return seed;
    }

    /** Returns the next 256 units of 16 random bits, as a text. */
    String nextUnits() {
        StringBuilder text = new StringBuilder(BLOCKS_PER_DRAW * BLOCK_BYTES / 2);
        for (int i = 0; i < BLOCKS_PER_DRAW; i++) {
            ByteBuffer input =
                    ByteBuffer.allocate(seed.length + Long.BYTES).put(seed).putLong(blockCounter++);
            ByteBuffer block = ByteBuffer.wrap(ByteFunctions.digest("SHA-256", input.array()));
            while (block.hasRemaining()) {
                text.append(block.getChar());
            }
        }
        return text.toString();
    }
}
