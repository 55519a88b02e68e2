package org.sallyport.connector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A scheduler and its clock. Time passes only in {@link #advance}, and tasks run on the thread of the test. */
public final class ManualScheduler extends ScheduledThreadPoolExecutor implements InstantSource {
    private final List<ManualTask> tasks = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int acceptedTasks = Integer.MAX_VALUE;

    public ManualScheduler() {
        super(0);
    }

    private final class ManualTask extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final Instant due;

        ManualTask(Runnable work, Instant due) {
            super(() -> {
                work.run();
                return null;
            });
            this.due = due;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(now, due));
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        if (acceptedTasks-- <= 0) {
            throw new RejectedExecutionException("shut down, as the test says");
        }
        ManualTask task = new ManualTask(work, now.plus(Duration.of(delay, unit.toChronoUnit())));
        tasks.add(task);
        return task;
    }

    /** Rejects all tasks after {@code count} more, like a scheduler that is shut down. */
    public void rejectAfter(int count) {
        acceptedTasks = count;
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** Advances the clock by {@code millis} and runs each task that becomes due, at its due time. */
    public void advance(long millis) {
        Instant end = now.plusMillis(millis);
        for (ManualTask next = nextDue(end); next != null; next = nextDue(end)) {
            tasks.remove(next);
            now = next.due;
            next.run();
        }
        now = end;
    }

    private @Nullable ManualTask nextDue(Instant end) {
        tasks.removeIf(ManualTask::isDone);
        return tasks.stream()
                .filter(task -> !task.due.isAfter(end))
                .min(Comparator.comparing(task -> task.due))
                .orElse(null);
    }

    /** Number of tasks that have not run yet. */
    public int pendingTasks() {
        tasks.removeIf(ManualTask::isDone);
        return tasks.size();
    }
}
