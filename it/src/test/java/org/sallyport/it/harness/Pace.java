package org.sallyport.it.harness;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * How busy this machine is: a script that does next to nothing is timed before and after what is to be prompt. Where there is
 * nothing else to do it takes some hundredths of a second.
 */
public final class Pace {
    /** Of the script's time: what is to be prompt has more to do. */
    private static final int TIMES = 10;

    private final Supplier<Duration> script;
    private final Duration before;

    private Pace(Supplier<Duration> script) {
        this.script = script;
        before = script.get();
    }

    /** To be asked for before what is to be prompt. */
    public static Pace of(Api api) {
        return new Pace(() -> run(api));
    }

    /** As {@link #of(Api)}, where not everything may be run: {@code script} runs one that does next to nothing, and says how long that took. */
    public static Pace of(Supplier<Duration> script) {
        return new Pace(script);
    }

    /** What is promised, and as much more as the machine is slow; to be asked for afterwards. */
    public Duration within(Duration promised) {
        Duration after = script.get();
        return promised.plus((before.compareTo(after) > 0 ? before : after).multipliedBy(TIMES));
    }

    private static Duration run(Api api) {
        long begin = System.nanoTime();
        api.run(Submission.javascript("return 1"));
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
