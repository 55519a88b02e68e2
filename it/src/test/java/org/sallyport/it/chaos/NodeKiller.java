package org.sallyport.it.chaos;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.SallyportServer;

/**
 * Kills nodes: at a random moment, at any failpoint, or during a start. Suspends them, too: for longer than a lease, or
 * for less.
 */
final class NodeKiller {
    private static final List<Failpoint> POINTS = List.of(Failpoint.values());

    /** Points that a node reaches every few seconds. It reaches the others many times a second. */
    private static final Set<Failpoint> RARE_POINTS = EnumSet.of(
            Failpoint.NESTED,
            Failpoint.EMITTED,
            Failpoint.BATCH_STORED,
            Failpoint.BATCH_ENDING,
            Failpoint.FIRING,
            Failpoint.CALLING_BACK,
            Failpoint.CALLED_BACK,
            Failpoint.PURGING);

    private static final int MAX_ACCEPTED = 60;
    private static final int MAX_HITS = 60;
    private static final int MAX_RARE_HITS = 4;

    private static final int ONE_PAUSE_IN = 3;
    private static final int ONE_DEATH_OF_ALL_IN = 4;
    private static final int MIN_PAUSE_MILLIS = 2_000;
    private static final int MAX_PAUSE_MILLIS = 20_000;

    private static final int MAX_DELAY_MILLIS = 500;
    private static final Duration MAX_LIFETIME = Duration.ofSeconds(10);

    private final List<ChaosNode> nodes;
    private final ChaosLoad load;
    private final Random random;
    private final Map<String, Integer> deaths = new TreeMap<>();
    private final Set<ProcessHandle> startedProcesses = new HashSet<>();
    private int pauses;

    NodeKiller(List<ChaosNode> nodes, ChaosLoad load, Random random) {
        this.nodes = nodes;
        this.load = load;
        this.random = random;
    }

    /**
     * Lets the nodes work for a while, possibly suspends one of them, and then kills one, or all. The time is measured
     * in completed work, so that the nodes are busy on any machine. Returns the dead nodes.
     */
    List<ChaosNode> kill() throws InterruptedException {
        if (random.nextInt(ONE_PAUSE_IN) == 0) {
            pause(drawNode());
        }
        ChaosNode node = drawNode();
        SallyportServer server = node.server();
        if (random.nextInt(5) < 2) {
            Failpoint point = drawPoint();
            node.failpoints().arm(point, drawHits(point));
            awaitCondition(() -> !server.isAlive());
            recordDeath(server.isAlive() ? "any moment" : point.name());
        } else {
            awaitLoad();
            recordDeath("any moment");
        }
        List<ChaosNode> dead = random.nextInt(ONE_DEATH_OF_ALL_IN) == 0 ? nodes : List.of(node);
        dead.forEach(this::killServer);
        return dead;
    }

    /** Suspends a node at a failpoint or at any moment, and resumes it later. */
    private void pause(ChaosNode node) throws InterruptedException {
        long pid = node.server().pid();
        if (random.nextBoolean()) {
            Failpoint point = drawPoint();
            node.failpoints().armPause(point, drawHits(point));
            awaitCondition(() -> ProcessInspector.isPaused(pid));
        } else {
            awaitLoad();
        }
        ProcessInspector.pause(pid);
        try {
            node.failpoints().disarm();
            Thread.sleep(MIN_PAUSE_MILLIS + random.nextInt(MAX_PAUSE_MILLIS - MIN_PAUSE_MILLIS + 1));
        } finally {
            ProcessInspector.resume(pid);
        }
        pauses++;
    }

    private ChaosNode drawNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private Failpoint drawPoint() {
        return POINTS.get(random.nextInt(POINTS.size()));
    }

    private int drawHits(Failpoint point) {
        return 1 + random.nextInt(RARE_POINTS.contains(point) ? MAX_RARE_HITS : MAX_HITS);
    }

    private void awaitLoad() throws InterruptedException {
        int enough = load.accepted().size() + 1 + random.nextInt(MAX_ACCEPTED);
        awaitCondition(() -> load.accepted().size() >= enough);
        Thread.sleep(random.nextInt(MAX_DELAY_MILLIS));
    }

    private void killServer(ChaosNode node) {
        startedProcesses.addAll(node.server().descendants());
        node.server().kill();
        node.failpoints().disarm();
    }

    private static void awaitCondition(BooleanSupplier happened) throws InterruptedException {
        long end = System.nanoTime() + MAX_LIFETIME.toNanos();
        while (!happened.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
    }

    /** Returns whether the next start should be killed too. */
    boolean shouldKillNextStart() {
        return random.nextInt(8) == 0;
    }

    /** Kills a node that was just started, possibly before it is ready. */
    void killDuringStart(ChaosNode node) throws InterruptedException {
        Thread.sleep(3_000 + random.nextInt(6_000));
        killServer(node);
        recordDeath("while starting");
    }

    private void recordDeath(String how) {
        deaths.merge(how, 1, Integer::sum);
    }

    /** Command lines of the processes that a killed node had started and that still run. */
    List<String> findLeftoverProcesses() {
        return startedProcesses.stream()
                // The process id may belong to another process by now.
                .filter(ProcessHandle::isAlive)
                .map(process -> String.join(" ", ProcessInspector.commandLine(process.pid())))
                // A process that has ended but was not yet reaped by its parent has no command line.
                .filter(command -> !command.isEmpty())
                .toList();
    }

    /** How often a node died, by the way in which it died. */
    Map<String, Integer> deaths() {
        return deaths;
    }

    /** How often a node was suspended. */
    int pauses() {
        return pauses;
    }
}
