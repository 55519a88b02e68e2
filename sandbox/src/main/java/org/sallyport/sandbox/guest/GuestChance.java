package org.sallyport.sandbox.guest;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The chance of one session: the same seed gives the same sequence, whatever runtime draws it. Each block is the
 * SHA-256 of the seed and a counter. Not thread-safe.
 */
final class GuestChance {
    private static final SecureRandom SEEDS = new SecureRandom();
    private static final int SEED_BYTES = 32;
    private static final int BLOCK_BYTES = 32;
    private static final int BLOCKS = 16;

    private final byte[] seed;
    private long blocks;

    GuestChance(byte[] seed) {
        this.seed = seed.clone();
    }

    static byte[] newSeed() {
        byte[] seed = new byte[SEED_BYTES];
        SEEDS.nextBytes(seed);
        return seed;
    }

    /** The next 256 units of 16 random bits, as a text. */
    String next() {
        StringBuilder text = new StringBuilder(BLOCKS * BLOCK_BYTES / 2);
        for (int i = 0; i < BLOCKS; i++) {
            ByteBuffer input =
                    ByteBuffer.allocate(seed.length + Long.BYTES).put(seed).putLong(blocks++);
            ByteBuffer block = ByteBuffer.wrap(GuestBytes.digest("SHA-256", input.array()));
            while (block.hasRemaining()) {
                text.append(block.getChar());
            }
        }
        return text.toString();
    }
}
