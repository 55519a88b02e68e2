package org.sallyport.sandbox.guest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The timers of one session, on the clock that all sessions share. */
final class GuestTimers {
    private static final class Timer {
        private final RunLog log;
        private final double millis;
        private final boolean repeat;
        private final long startedAt;
        private @Nullable Future<?> future;
        private boolean told;

        Timer(RunLog log, double millis, boolean repeat, long startedAt) {
            this.log = log;
            this.millis = millis;
            this.repeat = repeat;
            this.startedAt = startedAt;
        }

        /** Milliseconds until it is due, as far as it is known when it began. */
        double left() {
            double passed = startedAt == 0 ? 0 : log.clock() - startedAt;
            return repeat ? millis - passed % millis : Math.max(0, millis - passed);
        }

        void cancel() {
            if (future != null) {
                future.cancel(false);
            }
        }
    }

    private final ScheduledExecutorService clock;
    private final RunLog log;
    private final int limit;
    private final IntConsumer fired;
    private final Map<Integer, Timer> pending = new HashMap<>();
    private boolean held;

    /** Of waits at least this long it is noted when they began. */
    private static final double NOTED_MILLIS = 1_000;

    /** @param fired told the id of a timer whose time has come, on the clock's thread */
    GuestTimers(ScheduledExecutorService clock, RunLog log, int limit, IntConsumer fired) {
        this.clock = clock;
        this.log = log;
        this.limit = limit;
        this.fired = fired;
    }

    /** Starts a timer; empty, or why not. */
    synchronized String start(int id, double millis, boolean repeat) {
        if (pending.size() >= limit) {
            return "!timer-limit More than " + limit + " timers are pending at once; raise limits.timers for more";
        }
        // Short waits begin anew after a crash; to note when each began would cost more than that.
        Timer timer = new Timer(log, millis, repeat, millis < NOTED_MILLIS ? 0 : log.now());
        try {
            if (log.repeats()) {
                held = true;
            } else {
                schedule(id, timer);
            }
            pending.put(id, timer);
            return "";
        } catch (RejectedExecutionException closing) {
            return "!closing The sandbox is closing";
        }
    }

    private void schedule(int id, Timer timer) {
        long micros = micros(timer.left());
        timer.future = timer.repeat
                ? clock.scheduleAtFixedRate(() -> tell(id, timer), micros, micros(timer.millis), TimeUnit.MICROSECONDS)
                : clock.schedule(() -> tell(id, timer), micros, TimeUnit.MICROSECONDS);
    }

    private static long micros(double millis) {
        return (long) Math.min(millis * 1_000, Long.MAX_VALUE / 4_000.0);
    }

    /** Lets run what was held back until the past was over: of long waits, only what is left. */
    synchronized void release() {
        if (held) {
            held = false;
            pending.forEach((id, timer) -> {
                if (timer.future == null) {
                    schedule(id, timer);
                }
            });
        }
    }

    /** Whether a timer that fired is still wanted. */
    synchronized boolean due(int id) {
        Timer timer = pending.get(id);
        if (timer != null && !timer.repeat) {
            pending.remove(id);
        } else if (timer != null) {
            timer.told = false;
        }
        return timer != null;
    }

    synchronized void cancel(int id) {
        Timer timer = pending.remove(id);
        if (timer != null) {
            timer.cancel();
        }
    }

    synchronized boolean pending() {
        return !pending.isEmpty();
    }

    /** Milliseconds until the first is due; 0 when that is not known or something fired already. */
    synchronized long left() {
        double least = pending.values().stream()
                .mapToDouble(timer -> timer.startedAt == 0 || timer.told ? 0 : timer.left())
                .min()
                .orElse(0);
        return (long) least;
    }

    synchronized void clear() {
        pending.values().forEach(Timer::cancel);
        pending.clear();
    }

    /** A repeated timer whose last time the script has not seen yet is not told again: times must not pile up. */
    private void tell(int id, Timer timer) {
        synchronized (this) {
            if (timer.told) {
                return;
            }
            timer.told = true;
        }
        fired.accept(id);
    }
}
