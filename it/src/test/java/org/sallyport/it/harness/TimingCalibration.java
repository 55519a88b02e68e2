package org.sallyport.it.harness;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * How busy this machine is: a script that does next to nothing is timed before and after what is to be prompt. Where there is
 * nothing else to do it takes some hundredths of a second.
 */
public final class TimingCalibration {
    /** Of the script's time: what is to be prompt has more to do. */
    private static final int MULTIPLIER = 10;

    private final Supplier<Duration> probe;
    private final Duration timeBefore;

    private TimingCalibration(Supplier<Duration> script) {
        this.probe = script;
        timeBefore = script.get();
    }

    /** To be asked for before what is to be prompt. */
    public static TimingCalibration of(RestClient api) {
        return new TimingCalibration(() -> timeTrivialScript(api));
    }

    /** As {@link #of(RestClient)}, where not everything may be run: {@code script} runs one that does next to nothing, and says how long that took. */
    public static TimingCalibration of(Supplier<Duration> script) {
        return new TimingCalibration(script);
    }

    /** What is promised, and as much more as the machine is slow; to be asked for afterwards. */
    public Duration adjustLimit(Duration promised) {
        Duration after = probe.get();
        return promised.plus((timeBefore.compareTo(after) > 0 ? timeBefore : after).multipliedBy(MULTIPLIER));
    }

    private static Duration timeTrivialScript(RestClient api) {
        long begin = System.nanoTime();
        api.run(SubmissionBody.javascript("return 1"));
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
