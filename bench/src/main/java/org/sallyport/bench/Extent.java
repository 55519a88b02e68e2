package org.sallyport.bench;

import java.time.Duration;
import org.sallyport.bench.row.Crowd;
import org.sallyport.bench.row.Nap;
import org.sallyport.bench.row.Stretch;

/**
 * How much of each row a run measures.
 *
 * @param name the command
 * @param burst executions of P3
 * @param toolRounds scripts with tool calls of each kind, in P5
 * @param bareJms how long the bare broker is measured beside each of them
 * @param parkAfter how long one must sleep to be parked
 * @param crashes scripts that lose their workers, in P9
 * @param cancels of P12
 * @param overload how long that of P13 lasts
 */
record Extent(
        String name,
        Stretch oneAtATime,
        Stretch manyAtATime,
        int burst,
        int toolRounds,
        Duration bareJms,
        Crowd crowd,
        Duration parkAfter,
        Nap nap,
        int crashes,
        int cancels,
        Duration overload) {

    /** For about a minute: every row but P13, and no figure to rely on. */
    static final Extent SMOKE = new Extent(
            "smoke",
            new Stretch(5, Duration.ofMillis(600), Duration.ofMillis(120)),
            new Stretch(3, Duration.ofMillis(700), Duration.ofMillis(200)),
            1_000,
            3,
            Duration.ofMillis(250),
            new Crowd(250, 1, Duration.ofMillis(600)),
            Duration.ofSeconds(5),
            new Nap(500, 60, Duration.ofSeconds(6), Duration.ofSeconds(2)),
            2,
            5,
            Duration.ofSeconds(5));

    /** For about ten minutes: as many turns as ratios need. */
    static final Extent PAIR = new Extent(
            "pair",
            new Stretch(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            new Stretch(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            10_000,
            15,
            Duration.ofSeconds(1),
            new Crowd(1_000, 7, Duration.ofSeconds(3)),
            Duration.ofSeconds(30),
            new Nap(10_000, 200, Duration.ofSeconds(31), Duration.ofSeconds(10)),
            7,
            20,
            Duration.ofMinutes(1));

    /** Like {@link #PAIR}, with as many parked and as long an overload as the table of targets says. */
    static final Extent FULL = new Extent(
            "full",
            PAIR.oneAtATime,
            PAIR.manyAtATime,
            PAIR.burst,
            PAIR.toolRounds,
            PAIR.bareJms,
            PAIR.crowd,
            PAIR.parkAfter,
            new Nap(100_000, 500, Duration.ofSeconds(31), Duration.ofSeconds(25)),
            PAIR.crashes,
            PAIR.cancels,
            Duration.ofMinutes(10));

    /** That of a command. */
    static Extent of(String command) {
        return switch (command) {
            case "smoke" -> SMOKE;
            case "pair" -> PAIR;
            case "full" -> FULL;
            default -> throw new IllegalArgumentException(command);
        };
    }
}
