package org.sallyport.it.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RandomSeed;

/**
 * The parameters of a chaos run.
 *
 * @param kills how often a node dies
 * @param nodes how many nodes share the database and the broker
 * @param seed determines the submissions and when and how a node dies, but not the scheduling of threads
 */
record ChaosPlan(int kills, int nodes, ChaosDatabase database, ChaosBroker broker, long seed) {
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

    /** Returns whether the run is long enough for all optional checks. */
    boolean isLongRun() {
        return kills >= MIN_LONG_RUN_KILLS;
    }

    /**
     * Reads {@code -Dchaos.kills}, {@code .database}, {@code .broker} and {@code .seed}. The default is a short run. It
     * has one node.
     */
    static ChaosPlan fromProperties() {
        return new ChaosPlan(
                Integer.getInteger("chaos.kills", 5),
                1,
                ChaosDatabase.valueOf(readProperty(DATABASE_PROPERTY, "h2")),
                ChaosBroker.valueOf(readProperty(BROKER_PROPERTY, "embedded")),
                RandomSeed.fromProperty("chaos").value());
    }

    /**
     * Like {@link #fromProperties()}, with one plan for each combination of database and broker that the properties do
     * not exclude. The kills are divided among the plans; each plan has at least one. Two nodes need PostgreSQL and an
     * external broker; the other combinations have one node.
     */
    static List<ChaosPlan> allFromProperties() {
        ChaosPlan asked = fromProperties();
        List<ChaosPlan> plans = new ArrayList<>();
        for (ChaosDatabase database : ChaosDatabase.values()) {
            for (ChaosBroker broker : ChaosBroker.values()) {
                if ((System.getProperty(DATABASE_PROPERTY) == null || database == asked.database)
                        && (System.getProperty(BROKER_PROPERTY) == null || broker == asked.broker)) {
                    int nodes = database == ChaosDatabase.POSTGRESQL && broker == ChaosBroker.EXTERNAL ? 2 : 1;
                    plans.add(new ChaosPlan(0, nodes, database, broker, asked.seed + plans.size()));
                }
            }
        }
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).withKills((asked.kills + plans.size() - 1 - i) / plans.size()))
                .toList();
    }

    private ChaosPlan withKills(int often) {
        return new ChaosPlan(Math.max(1, often), nodes, database, broker, seed);
    }

    private static String readProperty(String property, String otherwise) {
        return System.getProperty(property, otherwise).toUpperCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return (database + ", " + broker + " broker, " + nodes + (nodes == 1 ? " node, " : " nodes, ") + kills
                        + " kills, seed " + seed)
                .toLowerCase(Locale.ROOT);
    }
}
