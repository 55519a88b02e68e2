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

/** Has a node die: at any moment, at a named point, or while it starts. */
final class NodeKiller {
    /** The load has no schedules, no events and no callbacks, and nothing here is old enough to be deleted. */
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

    /** Lets the node work for a while, counted in work so that it is busy on any machine, then die; it is dead when this returns. */
    void kill() throws InterruptedException {
        SallyportServer server = environment.server();
        if (random.nextInt(5) < 2) {
            Failpoint point = POINTS.get(random.nextInt(POINTS.size()));
            environment.failpoints().arm(point, 1 + random.nextInt(MAX_HITS));
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

    /** Whether the next start is to be killed too. */
    boolean shouldKillNextStart() {
        return random.nextInt(8) == 0;
    }

    /** The node has been begun and is killed before it may be ready. */
    void killDuringStart() throws InterruptedException {
        Thread.sleep(3_000 + random.nextInt(6_000));
        killServer();
        recordDeath("while starting");
    }

    private void recordDeath(String how) {
        deaths.merge(how, 1, Integer::sum);
    }

    /** Command lines of what a killed node had started and nobody has ended. */
    List<String> findLeftoverProcesses() {
        return startedProcesses.stream()
                // Its number may be another process's by now.
                .filter(ProcessHandle::isAlive)
                .map(process -> String.join(" ", ProcessInspector.commandLine(process.pid())))
                // One that has ended and is not collected yet has none.
                .filter(command -> !command.isEmpty())
                .toList();
    }

    /** How often it died of what. */
    Map<String, Integer> deaths() {
        return deaths;
    }
}
