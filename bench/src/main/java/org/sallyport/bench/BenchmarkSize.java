package org.sallyport.bench;

import java.time.Duration;
import org.sallyport.bench.scenario.ConcurrencySettings;
import org.sallyport.bench.scenario.MeasurementWindow;
import org.sallyport.bench.scenario.SleepSettings;

/**
 * Sizes and durations of the measurements of one command.
 *
 * @param name the command
 * @param burstExecutions number of executions of P3
 * @param rowExecutions number of rows of P14
 * @param toolRounds number of scripts of P5 for each kind of tool call
 * @param bareJmsTime duration of the measurement of the broker baseline after each of these scripts
 * @param parkAfter minimum sleep after which the service parks an execution
 * @param workerCrashes number of scripts that lose their worker, in P9
 * @param cancels number of cancels of P12
 * @param overloadTime duration of the overload of P13
 */
record BenchmarkSize(
        String name,
        MeasurementWindow sequentialWindow,
        MeasurementWindow concurrentWindow,
        int burstExecutions,
        int rowExecutions,
        int toolRounds,
        Duration bareJmsTime,
        ConcurrencySettings concurrency,
        Duration parkAfter,
        SleepSettings sleepSettings,
        int workerCrashes,
        int cancels,
        Duration overloadTime) {

    /** Runs for about one minute: every row except P13. The figures are not reliable. */
    static final BenchmarkSize SMOKE = new BenchmarkSize(
            "smoke",
            new MeasurementWindow(5, Duration.ofMillis(600), Duration.ofMillis(120)),
            new MeasurementWindow(3, Duration.ofMillis(700), Duration.ofMillis(200)),
            1_000,
            250,
            3,
            Duration.ofMillis(250),
            new ConcurrencySettings(250, 1, Duration.ofMillis(600)),
            Duration.ofSeconds(5),
            new SleepSettings(500, 60, Duration.ofSeconds(6), Duration.ofSeconds(2)),
            2,
            5,
            Duration.ofSeconds(5));

    /** Runs for about ten minutes, with enough alternating rounds for reliable ratios. */
    static final BenchmarkSize PAIR = new BenchmarkSize(
            "pair",
            new MeasurementWindow(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            new MeasurementWindow(15, Duration.ofSeconds(4), Duration.ofSeconds(1)),
            10_000,
            10_000,
            15,
            Duration.ofSeconds(1),
            new ConcurrencySettings(1_000, 7, Duration.ofSeconds(3)),
            Duration.ofSeconds(30),
            new SleepSettings(10_000, 200, Duration.ofSeconds(31), Duration.ofSeconds(10)),
            7,
            20,
            Duration.ofMinutes(1));

    /**
     * Like {@link #PAIR}, with the number of parked executions and the duration of overload of the table of targets.
     */
    static final BenchmarkSize FULL = new BenchmarkSize(
            "full",
            PAIR.sequentialWindow,
            PAIR.concurrentWindow,
            PAIR.burstExecutions,
            PAIR.rowExecutions,
            PAIR.toolRounds,
            PAIR.bareJmsTime,
            PAIR.concurrency,
            PAIR.parkAfter,
            new SleepSettings(100_000, 500, Duration.ofSeconds(31), Duration.ofSeconds(25)),
            PAIR.workerCrashes,
            PAIR.cancels,
            Duration.ofMinutes(10));

    /** Returns the size of a command of the service. */
    static BenchmarkSize of(String command) {
        return switch (command) {
            case "smoke" -> SMOKE;
            case "pair" -> PAIR;
            case "full" -> FULL;
            default -> throw new IllegalArgumentException(command);
        };
    }
}
