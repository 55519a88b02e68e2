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
import org.sallyport.it.harness.Processes;
import org.sallyport.it.harness.SallyportServer;

/** Has a node die: at any moment, at a named point, or while it starts. */
final class Killer {
    /** The load has no schedules, no events and no callbacks, and nothing here is old enough to be deleted. */
    private static final Set<Failpoint> ELSEWHERE = Set.of(
            Failpoint.NESTED,
            Failpoint.FIRING,
            Failpoint.EMITTED,
            Failpoint.CALLING_BACK,
            Failpoint.CALLED_BACK,
            Failpoint.PURGING);

    private static final List<Failpoint> POINTS = Stream.of(Failpoint.values())
            .filter(point -> !ELSEWHERE.contains(point))
            .toList();

    private static final int MOST_ACCEPTED = 60;
    private static final int MOST_TIMES = 60;
    private static final int MORE_MILLIS = 500;
    private static final Duration LONGEST_LIFE = Duration.ofSeconds(10);

    private final Installation installation;
    private final Load load;
    private final Random random;
    private final Map<String, Integer> deaths = new TreeMap<>();
    private final Set<ProcessHandle> started = new HashSet<>();

    Killer(Installation installation, Load load, Random random) {
        this.installation = installation;
        this.load = load;
        this.random = random;
    }

    /** Lets the node work for a while, counted in work so that it is busy on any machine, then die; it is dead when this returns. */
    void kill() throws InterruptedException {
        SallyportServer server = installation.server();
        if (random.nextInt(5) < 2) {
            Failpoint point = POINTS.get(random.nextInt(POINTS.size()));
            installation.armoury().arm(point, 1 + random.nextInt(MOST_TIMES));
            until(() -> !server.isAlive());
            note(server.isAlive() ? "any moment" : point.name());
        } else {
            int enough = load.accepted().size() + 1 + random.nextInt(MOST_ACCEPTED);
            until(() -> load.accepted().size() >= enough);
            Thread.sleep(random.nextInt(MORE_MILLIS));
            note("any moment");
        }
        end();
        installation.armoury().disarm();
    }

    private void end() {
        started.addAll(installation.server().below());
        installation.server().kill();
    }

    private static void until(BooleanSupplier happened) throws InterruptedException {
        long end = System.nanoTime() + LONGEST_LIFE.toNanos();
        while (!happened.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
    }

    /** Whether the next start is to be killed too. */
    boolean alsoWhileItStarts() {
        return random.nextInt(8) == 0;
    }

    /** The node has been begun and is killed before it may be ready. */
    void killWhileItStarts() throws InterruptedException {
        Thread.sleep(3_000 + random.nextInt(6_000));
        end();
        note("while starting");
    }

    private void note(String how) {
        deaths.merge(how, 1, Integer::sum);
    }

    /** Command lines of what a killed node had started and nobody has ended. */
    List<String> leftovers() {
        return started.stream()
                // Its number may be another process's by now.
                .filter(ProcessHandle::isAlive)
                .map(process -> String.join(" ", Processes.commandLine(process.pid())))
                // One that has ended and is not collected yet has none.
                .filter(command -> !command.isEmpty())
                .toList();
    }

    /** How often it died of what. */
    Map<String, Integer> deaths() {
        return deaths;
    }
}
