package org.sallyport.bench;

import java.time.Duration;
import org.sallyport.bench.row.ConcurrencySettings;
import org.sallyport.bench.row.MeasurementWindow;
import org.sallyport.bench.row.SleepSettings;

/**
 * How much of each row a run measures.
 *
 * @param name the command
 * @param burstExecutions executions of P3
 * @param toolRounds scripts with tool calls of each kind, in P5
 * @param bareJmsTime how long the bare broker is measured beside each of them
 * @param parkAfter how long one must sleep to be parked
 * @param workerCrashes scripts that lose their workers, in P9
 * @param cancels of P12
 * @param overloadTime how long that of P13 lasts
 */
record BenchmarkSize(
        String name,
        MeasurementWindow sequentialWindow,
        MeasurementWindow concurrentWindow,
        int burstExecutions,
        int toolRounds,
        Duration bareJmsTime,
        ConcurrencySettings concurrency,
        Duration parkAfter,
        SleepSettings sleepSettings,
        int workerCrashes,
        int cancels,
        Duration overloadTime) {

    /** For about a minute: every row but P13, and no figure to rely on. */
    static final BenchmarkSize SMOKE = new BenchmarkSize(
            "smoke",
            new MeasurementWindow(5, Duration.ofMillis(600), Duration.ofMillis(120)),
            new MeasurementWindow(3, Duration.ofMillis(700), Duration.ofMillis(200)),
            1_000,
            3,
            Duration.ofMillis(250),
            new ConcurrencySettings(250, 1, Duration.ofMillis(600)),
            Duration.ofSeconds(5),
            new SleepSettings(500, 60, Duration.ofSeconds(6), Duration.ofSeconds(2)),
            2,
            5,
            Duration.ofSeconds(5));

    /** For about ten minutes: as many turns as ratios need. */
    static final BenchmarkSize PAIR = new BenchmarkSize(
            "pair",
            new MeasurementWindow(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            new MeasurementWindow(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            10_000,
            15,
            Duration.ofSeconds(1),
            new ConcurrencySettings(1_000, 7, Duration.ofSeconds(3)),
            Duration.ofSeconds(30),
            new SleepSettings(10_000, 200, Duration.ofSeconds(31), Duration.ofSeconds(10)),
            7,
            20,
            Duration.ofMinutes(1));

    /** Like {@link #PAIR}, with as many parked and as long an overload as the table of targets says. */
    static final BenchmarkSize FULL = new BenchmarkSize(
            "full",
            PAIR.sequentialWindow,
            PAIR.concurrentWindow,
            PAIR.burstExecutions,
            PAIR.toolRounds,
            PAIR.bareJmsTime,
            PAIR.concurrency,
            PAIR.parkAfter,
            new SleepSettings(100_000, 500, Duration.ofSeconds(31), Duration.ofSeconds(25)),
            PAIR.workerCrashes,
            PAIR.cancels,
            Duration.ofMinutes(10));

    /** That of a command. */
    static BenchmarkSize of(String command) {
        return switch (command) {
            case "smoke" -> SMOKE;
            case "pair" -> PAIR;
            case "full" -> FULL;
            default -> throw new IllegalArgumentException(command);
        };
    }
}
