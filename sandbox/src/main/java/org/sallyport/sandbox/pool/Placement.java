package org.sallyport.sandbox.pool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.SessionEnd;
import org.sallyport.sandbox.isolation.Isolation;

/**
 * Which task runs in which worker: binds workers to tenants, keeps spare ones, lets tasks wait when there are as many
 * workers as there may be. Thread-safe; calls out only without its lock.
 */
final class Placement {
    /** Load from which a tenant's next task rather takes a spare worker. */
    private static final int BUSY = 4;

    private static final int FAILURES = 3;
    private static final long RETRY_NANOS = 5_000_000_000L;

    private record Waiting(Task task, long number) {}

    private record Match(Task task, long number, Worker worker) {
        void run() {
            worker.touched();
            task.runOn(worker, number);
        }
    }

    private final WorkerSettings settings;
    private final Runnable launch;
    private final Seats seats;
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private int failures;
    private long failedNanos;
    private boolean closed;
    /** A tenant's task went to a worker in which others compute already. */
    private boolean crowded;

    /** @param launch begins to start one worker and says so by {@link #starting} before it returns */
    Placement(WorkerSettings settings, Runnable launch) {
        this.settings = settings;
        this.launch = launch;
        this.seats = new Seats(settings);
    }

    static SessionEnd.Lost unavailable() {
        return new SessionEnd.Lost(SessionEnd.Reason.UNAVAILABLE, "No worker can be had now");
    }

    /** Runs a task now or later; false when no worker can be had. */
    boolean place(Task task, long number) {
        Worker worker;
        synchronized (this) {
            if (closed) {
                return false;
            }
            if (task.isOver()) {
                return true;
            }
            worker = choose(task.tenant());
            if (worker == null && exhausted()) {
                return false;
            } else if (worker == null) {
                queue.add(new Waiting(task, number));
            }
        }
        if (worker != null) {
            new Match(task, number, worker).run();
        }
        grow();
        return true;
    }

    /** Takes back a task that waits; false when it does not. */
    synchronized boolean withdraw(Task task) {
        return queue.removeIf(waiting -> waiting.task() == task);
    }

    synchronized void starting(Worker worker) {
        seats.add(worker);
    }

    /** It gets no more tasks. */
    synchronized void leaving(Worker worker) {
        Seat seat = seats.get(worker);
        if (seat != null) {
            seat.leaving = true;
        }
    }

    void ready(Worker worker) {
        boolean late;
        synchronized (this) {
            failures = 0;
            Seat seat = seats.get(worker);
            late = seat == null || closed;
            if (seat != null) {
                seat.ready = true;
            }
        }
        if (late) {
            worker.discard();
        }
        serve();
    }

    /** One of a worker's tasks is over. */
    void finished(Worker worker) {
        boolean discard = false;
        boolean waiting;
        synchronized (this) {
            Seat seat = seats.get(worker);
            if (seat != null) {
                seat.load--;
                seat.leaving =
                        seat.leaving || settings.share() == Share.NONE || seats.worn(worker, seat, System.nanoTime());
                discard = seat.leaving && seat.load == 0;
            }
            waiting = !queue.isEmpty();
        }
        if (discard) {
            worker.discard();
        }
        if (waiting) {
            serve();
        }
    }

    void gone(Worker worker) {
        List<Waiting> hopeless = new ArrayList<>();
        synchronized (this) {
            Seat seat = seats.remove(worker);
            if (seat != null && !seat.ready && !closed) {
                failures++;
                failedNanos = System.nanoTime();
                if (exhausted()) {
                    hopeless.addAll(queue);
                    queue.clear();
                }
            }
            notifyAll();
        }
        hopeless.forEach(waiting -> waiting.task().lost(unavailable()));
        grow();
        serve();
    }

    /** Starts as many workers as are wanted and allowed, and makes room for a tenant that waits. */
    void grow() {
        int missing;
        Worker evicted = null;
        synchronized (this) {
            if (closed
                    || (failures > 0
                            && System.nanoTime() - failedNanos < RETRY_NANOS
                            && seats.isEmpty()
                            && queue.isEmpty())) {
                return;
            }
            Set<String> tenants = new HashSet<>();
            queue.forEach(waiting -> tenants.add(waiting.task().tenant()));
            int wanted = settings.warmWorkers()
                    + (crowded ? 1 : 0)
                    + (settings.share() == Share.NONE ? queue.size() : tenants.size());
            int spare = seats.count(Seat::spare);
            if (!tenants.isEmpty() && spare == 0 && seats.room() <= 0 && !exhausted()) {
                evicted = seats.retireIdle(tenants);
                if (evicted == null) {
                    seats.retireFor(tenants);
                }
            }
            missing = exhausted() ? 0 : Math.max(0, Math.min(wanted - spare, seats.room()));
        }
        if (evicted != null) {
            evicted.discard();
        }
        for (int i = 0; i < missing; i++) {
            launch.run();
        }
    }

    /** Looks after workers that are old, worn or stuck; called now and then. */
    void inspect(long now) {
        List<Worker> all;
        List<Worker> leaving;
        synchronized (this) {
            all = seats.workers();
            leaving = seats.retireWorn(now);
        }
        all.forEach(worker -> worker.inspect(now));
        leaving.forEach(Worker::discard);
        grow();
    }

    synchronized SandboxStatus status(Isolation isolation) {
        int ready = seats.count(seat -> seat.ready);
        int warm = seats.count(seat -> seat.ready && seat.spare());
        int sessions = seats.load() + queue.size();
        return new SandboxStatus("worker", ready, warm, sessions, isolation.present(), isolation.missing());
    }

    void close() {
        List<Worker> all;
        List<Waiting> waiting;
        synchronized (this) {
            closed = true;
            all = seats.workers();
            waiting = List.copyOf(queue);
            queue.clear();
        }
        waiting.forEach(each -> each.task().lost(unavailable()));
        all.forEach(Worker::close);
    }

    /** Waits until all workers are gone, or for so long. */
    synchronized void awaitEmpty(long nanos) {
        long deadline = System.nanoTime() + nanos;
        try {
            for (long left = nanos; !seats.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                wait(Math.max(1, left / 1_000_000));
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() {
        List<Match> matches = new ArrayList<>();
        synchronized (this) {
            Set<String> hopeless = new HashSet<>();
            for (Iterator<Waiting> each = queue.iterator(); each.hasNext(); ) {
                Waiting waiting = each.next();
                Task task = waiting.task();
                if (task.isOver()) {
                    each.remove();
                } else if (!hopeless.contains(task.tenant())) {
                    Worker worker = choose(task.tenant());
                    if (worker == null) {
                        hopeless.add(task.tenant());
                    } else {
                        each.remove();
                        matches.add(new Match(task, waiting.number(), worker));
                    }
                }
            }
        }
        matches.forEach(Match::run);
        if (!matches.isEmpty()) {
            grow();
        }
    }

    /** The worker for a tenant's next task, with the task counted; null when it must wait. */
    private @Nullable Worker choose(String tenant) {
        Worker own = settings.share() == Share.NONE
                ? null
                : seats.least(seat -> settings.share() == Share.ALL || tenant.equals(seat.tenant));
        Worker chosen = own;
        boolean computes = own != null && own.computing() >= settings.carriers();
        if (own == null || computes || seats.of(own).load >= BUSY) {
            Worker spare = seats.least(Seat::spare);
            chosen = spare == null ? own : spare;
        }
        crowded = computes && chosen == own;
        if (chosen != null) {
            Seat seat = seats.of(chosen);
            seat.tenant = tenant;
            seat.load++;
            seat.tasks++;
        }
        return chosen;
    }

    private boolean exhausted() {
        return failures >= FAILURES && System.nanoTime() - failedNanos < RETRY_NANOS;
    }
}
