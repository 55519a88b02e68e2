package org.sallyport.it.harness;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Measures how busy this machine is: times a trivial script before and after the operation whose latency a test limits.
 * On an idle machine the script takes a few hundredths of a second.
 */
public final class TimingCalibration {
    /**
     * Multiple of the script's time that is allowed in addition, because the limited operation does more work than the
     * script.
     */
    private static final int MULTIPLIER = 10;

    private final Supplier<Duration> probe;
    private final Duration timeBefore;

    private TimingCalibration(Supplier<Duration> script) {
        this.probe = script;
        timeBefore = script.get();
    }

    /** Creates a calibration. Must be called before the operation whose latency the test limits. */
    public static TimingCalibration of(RestClient api) {
        return new TimingCalibration(() -> timeTrivialScript(api));
    }

    /**
     * Like {@link #of(RestClient)}, for tests that cannot run every script. {@code script} runs a trivial script and
     * returns how long it took.
     */
    public static TimingCalibration of(Supplier<Duration> script) {
        return new TimingCalibration(script);
    }

    /** Adds an allowance for the load of the machine to the promised time. Must be called after the operation. */
    public Duration adjustLimit(Duration promised) {
        Duration after = probe.get();
        return promised.plus((timeBefore.compareTo(after) > 0 ? timeBefore : after).multipliedBy(MULTIPLIER));
    }

    private static Duration timeTrivialScript(RestClient api) {
        long startNanos = System.nanoTime();
        api.run(SubmissionBody.javascript("return 1"));
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
