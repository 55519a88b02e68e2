package org.sallyport.it.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RandomSeed;

/**
 * What is to be done.
 *
 * @param kills how often the node dies
 * @param seed decides what is submitted, and when and how the node dies; not what threads make of it
 */
record ChaosPlan(int kills, ChaosDatabase database, ChaosBroker broker, long seed) {
    enum ChaosDatabase {
        H2,
        POSTGRESQL
    }

    enum ChaosBroker {
        EMBEDDED,
        EXTERNAL
    }

    private static final int MIN_LONG_RUN_KILLS = 20;
    private static final String DATABASE_PROPERTY = "chaos.database";
    private static final String BROKER_PROPERTY = "chaos.broker";

    /** Whether there is time for everything. */
    boolean isLongRun() {
        return kills >= MIN_LONG_RUN_KILLS;
    }

    /** As {@code -Dchaos.kills}, {@code .database}, {@code .broker} and {@code .seed} say; short if they say nothing. */
    static ChaosPlan fromProperties() {
        return new ChaosPlan(
                Integer.getInteger("chaos.kills", 5),
                ChaosDatabase.valueOf(readProperty(DATABASE_PROPERTY, "h2")),
                ChaosBroker.valueOf(readProperty(BROKER_PROPERTY, "embedded")),
                RandomSeed.fromProperty("chaos").value());
    }

    /** As {@link #fromProperties()}, on every database with every broker that is not ruled out; the deaths are shared out, at least one each. */
    static List<ChaosPlan> allFromProperties() {
        ChaosPlan asked = fromProperties();
        List<ChaosPlan> plans = new ArrayList<>();
        for (ChaosDatabase database : ChaosDatabase.values()) {
            for (ChaosBroker broker : ChaosBroker.values()) {
                if ((System.getProperty(DATABASE_PROPERTY) == null || database == asked.database)
                        && (System.getProperty(BROKER_PROPERTY) == null || broker == asked.broker)) {
                    plans.add(new ChaosPlan(0, database, broker, asked.seed + plans.size()));
                }
            }
        }
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).withKills((asked.kills + plans.size() - 1 - i) / plans.size()))
                .toList();
    }

    private ChaosPlan withKills(int often) {
        return new ChaosPlan(Math.max(1, often), database, broker, seed);
    }

    private static String readProperty(String property, String otherwise) {
        return System.getProperty(property, otherwise).toUpperCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return (database + ", " + broker + " broker, " + kills + " kills, seed " + seed).toLowerCase(Locale.ROOT);
    }
}
