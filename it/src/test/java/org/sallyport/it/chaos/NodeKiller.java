package org.sallyport.it.chaos;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.it.harness.ProcessInspector;
import org.sallyport.it.harness.SallyportServer;

/** Kills a node: at a random moment, at a named failpoint, or during its start. */
final class NodeKiller {
    /** The load has no nested executions, schedules, events or callbacks, and no data is old enough for the reaper. */
    private static final Set<Failpoint> UNREACHABLE_POINTS = Set.of(
            Failpoint.NESTED,
            Failpoint.FIRING,
            Failpoint.EMITTED,
            Failpoint.CALLING_BACK,
            Failpoint.CALLED_BACK,
            Failpoint.PURGING);

    private static final List<Failpoint> POINTS = Stream.of(Failpoint.values())
            .filter(point -> !UNREACHABLE_POINTS.contains(point))
            .toList();

    private static final int MAX_ACCEPTED = 60;
    private static final int MAX_HITS = 60;
    /** Only a few submissions are batches. */
    private static final int MAX_BATCH_HITS = 4;

    private static final int MAX_DELAY_MILLIS = 500;
    private static final Duration MAX_LIFETIME = Duration.ofSeconds(10);

    private final ChaosEnvironment environment;
    private final ChaosLoad load;
    private final Random random;
    private final Map<String, Integer> deaths = new TreeMap<>();
    private final Set<ProcessHandle> startedProcesses = new HashSet<>();

    NodeKiller(ChaosEnvironment installation, ChaosLoad load, Random random) {
        this.environment = installation;
        this.load = load;
        this.random = random;
    }

    /**
     * Lets the node work for a while and then kills it. The time is measured in completed work, so that the node is
     * busy on any machine. The node is dead when this method returns.
     */
    void kill() throws InterruptedException {
        SallyportServer server = environment.server();
        if (random.nextInt(5) < 2) {
            Failpoint point = POINTS.get(random.nextInt(POINTS.size()));
            int maxHits =
                    point == Failpoint.BATCH_STORED || point == Failpoint.BATCH_ENDING ? MAX_BATCH_HITS : MAX_HITS;
            environment.failpoints().arm(point, 1 + random.nextInt(maxHits));
            awaitCondition(() -> !server.isAlive());
            recordDeath(server.isAlive() ? "any moment" : point.name());
        } else {
            int enough = load.accepted().size() + 1 + random.nextInt(MAX_ACCEPTED);
            awaitCondition(() -> load.accepted().size() >= enough);
            Thread.sleep(random.nextInt(MAX_DELAY_MILLIS));
            recordDeath("any moment");
        }
        killServer();
        environment.failpoints().disarm();
    }

    private void killServer() {
        startedProcesses.addAll(environment.server().descendants());
        environment.server().kill();
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
    void killDuringStart() throws InterruptedException {
        Thread.sleep(3_000 + random.nextInt(6_000));
        killServer();
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

    /** How often the node died, by the way in which it died. */
    Map<String, Integer> deaths() {
        return deaths;
    }
}
