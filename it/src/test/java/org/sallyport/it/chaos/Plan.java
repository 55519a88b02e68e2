package org.sallyport.it.chaos;

import java.util.Locale;

/**
 * What is to be done.
 *
 * @param kills how often the node dies
 * @param seed decides what is submitted, and when and how the node dies; not what threads make of it
 */
record Plan(int kills, Database database, Broker broker, long seed) {
    enum Database {
        H2,
        POSTGRESQL
    }

    enum Broker {
        EMBEDDED,
        EXTERNAL
    }

    private static final int MANY = 20;

    /** Whether there is time for everything. */
    boolean isLong() {
        return kills >= MANY;
    }

    /** As {@code -Dchaos.kills}, {@code .database}, {@code .broker} and {@code .seed} say; short if they say nothing. */
    static Plan asAsked() {
        return new Plan(
                Integer.getInteger("chaos.kills", 5),
                Database.valueOf(word("chaos.database", "h2")),
                Broker.valueOf(word("chaos.broker", "embedded")),
                Long.getLong("chaos.seed", System.nanoTime() & 0xffff_ffffL));
    }

    private static String word(String property, String otherwise) {
        return System.getProperty(property, otherwise).toUpperCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return (database + ", " + broker + " broker, " + kills + " kills, seed " + seed).toLowerCase(Locale.ROOT);
    }
}
