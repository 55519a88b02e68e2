package org.sallyport.it.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.sallyport.it.harness.Seed;

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
    private static final String DATABASE = "chaos.database";
    private static final String BROKER = "chaos.broker";

    /** Whether there is time for everything. */
    boolean isLong() {
        return kills >= MANY;
    }

    /** As {@code -Dchaos.kills}, {@code .database}, {@code .broker} and {@code .seed} say; short if they say nothing. */
    static Plan asAsked() {
        return new Plan(
                Integer.getInteger("chaos.kills", 5),
                Database.valueOf(word(DATABASE, "h2")),
                Broker.valueOf(word(BROKER, "embedded")),
                Seed.asAsked("chaos").value());
    }

    /** As {@link #asAsked()}, on every database with every broker that is not ruled out; the deaths are shared out, at least one each. */
    static List<Plan> allThatAreAsked() {
        Plan asked = asAsked();
        List<Plan> plans = new ArrayList<>();
        for (Database database : Database.values()) {
            for (Broker broker : Broker.values()) {
                if ((System.getProperty(DATABASE) == null || database == asked.database)
                        && (System.getProperty(BROKER) == null || broker == asked.broker)) {
                    plans.add(new Plan(0, database, broker, asked.seed + plans.size()));
                }
            }
        }
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).dying((asked.kills + plans.size() - 1 - i) / plans.size()))
                .toList();
    }

    private Plan dying(int often) {
        return new Plan(Math.max(1, often), database, broker, seed);
    }

    private static String word(String property, String otherwise) {
        return System.getProperty(property, otherwise).toUpperCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return (database + ", " + broker + " broker, " + kills + " kills, seed " + seed).toLowerCase(Locale.ROOT);
    }
}
