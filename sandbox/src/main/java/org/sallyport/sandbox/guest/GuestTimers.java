package org.sallyport.sandbox.guest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The timers of one session, on the timer thread that all sessions share. Thread-safe. */
final class GuestTimers {
    private static final class GuestTimer {
        private final ReplayLog log;
        private final double millis;
        private final boolean repeat;
        private final long startedMillis;
        private @Nullable Future<?> future;
        private boolean fireNotified;

        GuestTimer(ReplayLog log, double millis, boolean repeat, long startedAt) {
            this.log = log;
            this.millis = millis;
            this.repeat = repeat;
            this.startedMillis = startedAt;
        }

        /** Returns the milliseconds until the timer is due; the full delay if its start time was not logged. */
        double remainingMillis() {
            double passed = startedMillis == 0 ? 0 : log.clockMillis() - startedMillis;
            return repeat ? millis - passed % millis : Math.max(0, millis - passed);
        }

        void cancel() {
            if (future != null) {
                future.cancel(false);
            }
        }
    }

    private final ScheduledExecutorService timerExecutor;
    private final ReplayLog log;
    private final int limit;
    private final IntConsumer onFired;
    private final Map<Integer, GuestTimer> pending = new HashMap<>();
    private boolean deferred;

    /** The start times of waits at least this long are logged. */
    private static final double MIN_LOGGED_MILLIS = 1_000;

    /**
     * @param fired called on the timer thread with the id of a timer that is due
     */
    GuestTimers(ScheduledExecutorService clock, ReplayLog log, int limit, IntConsumer fired) {
        this.timerExecutor = clock;
        this.log = log;
        this.limit = limit;
        this.onFired = fired;
    }

    /** Starts a timer. Returns an empty text, or {@code !}, a code and a reason. */
    synchronized String start(int id, double millis, boolean repeat) {
        if (pending.size() >= limit) {
            return "!timer-limit More than " + limit + " timers are pending at once; raise limits.timers for more";
        }
        // Short waits start over after a crash; logging the start of each would cost more.
        GuestTimer timer = new GuestTimer(log, millis, repeat, millis < MIN_LOGGED_MILLIS ? 0 : log.startOfWait());
        try {
            if (log.isReplaying()) {
                deferred = true;
            } else {
                schedule(id, timer);
            }
            pending.put(id, timer);
            return "";
        } catch (RejectedExecutionException closing) {
            return "!closing The sandbox is closing";
        }
    }

    private void schedule(int id, GuestTimer timer) {
        long micros = toMicros(timer.remainingMillis());
        timer.future = timer.repeat
                ? timerExecutor.scheduleAtFixedRate(
                        () -> notifyFired(id, timer), micros, toMicros(timer.millis), TimeUnit.MICROSECONDS)
                : timerExecutor.schedule(() -> notifyFired(id, timer), micros, TimeUnit.MICROSECONDS);
    }

    private static long toMicros(double millis) {
        return (long) Math.min(millis * 1_000, Long.MAX_VALUE / 4_000.0);
    }

    /** Starts the timers that were deferred during the replay; long waits continue with their remaining time. */
    synchronized void startDeferred() {
        if (deferred) {
            deferred = false;
            pending.forEach((id, timer) -> {
                if (timer.future == null) {
                    schedule(id, timer);
                }
            });
        }
    }

    /** Returns whether a fired timer is still pending; removes it if it does not repeat. */
    synchronized boolean acceptFired(int id) {
        GuestTimer timer = pending.get(id);
        if (timer != null && !timer.repeat) {
            pending.remove(id);
        } else if (timer != null) {
            timer.fireNotified = false;
        }
        return timer != null;
    }

    synchronized void cancel(int id) {
        GuestTimer timer = pending.remove(id);
        if (timer != null) {
            timer.cancel();
        }
    }

    synchronized boolean hasPending() {
        return !pending.isEmpty();
    }

    /** Returns the milliseconds until the first timer is due; 0 when that is unknown or a timer has already fired. */
    synchronized long millisToFirst() {
        double least = pending.values().stream()
                .mapToDouble(timer -> timer.startedMillis == 0 || timer.fireNotified ? 0 : timer.remainingMillis())
                .min()
                .orElse(0);
        return (long) least;
    }

    synchronized void clear() {
        pending.values().forEach(GuestTimer::cancel);
        pending.clear();
    }

    /** Skips a repeated timer whose last firing the script has not handled yet, so that firings do not pile up. */
    private void notifyFired(int id, GuestTimer timer) {
        synchronized (this) {
            if (timer.fireNotified) {
                return;
            }
            timer.fireNotified = true;
        }
        onFired.accept(id);
    }
}
