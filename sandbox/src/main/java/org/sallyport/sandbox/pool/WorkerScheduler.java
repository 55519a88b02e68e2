package org.sallyport.sandbox.pool;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SandboxStatus;
import org.sallyport.sandbox.SessionResult;
import org.sallyport.sandbox.isolation.Isolation;

/**
 * Assigns tasks to workers: binds workers to tenants, keeps idle workers, and queues tasks when the maximum number of
 * workers is reached. Thread-safe; calls other objects only without holding its lock.
 *
 * <p>Tasks that need their own worker never take a worker from tasks that share theirs: each waits for a worker that is
 * started for one task. At most half as many of these workers exist as the maximum number of workers, at least one.
 * They do not count among the workers for shared tasks, and are started after those, so neither kind of task waits for
 * the other.
 */
final class WorkerScheduler {
    /** Load from which a tenant's next task prefers an idle worker. */
    private static final int BUSY_LOAD = 4;

    private static final int MAX_START_FAILURES = 3;
    private static final long START_RETRY_NANOS = 5_000_000_000L;

    private record QueuedWorkerTask(WorkerTask task, long taskNumber) {}

    private record TaskAssignment(WorkerTask task, long taskNumber, Worker worker) {
        void run() {
            worker.resetSilenceIfIdle();
            task.runOn(worker, taskNumber);
        }
    }

    private final WorkerSettings settings;
    private final Supplier<Worker> newWorker;
    private final Consumer<Worker> startWorker;
    private final WorkerSlots slots;
    private final Deque<QueuedWorkerTask> queue = new ArrayDeque<>();
    private boolean workerStarted;
    private int startFailures;
    private long lastFailureNanos;
    private boolean closed;
    /** The last assigned task went to a worker of its tenant in which all threads compute already. */
    private boolean tenantWorkerBusy;

    /**
     * @param newWorker creates a worker without a process; called under the lock of this object
     * @param startWorker begins to start the process of a new worker
     */
    WorkerScheduler(WorkerSettings settings, Supplier<Worker> newWorker, Consumer<Worker> startWorker) {
        this.settings = settings;
        this.newWorker = newWorker;
        this.startWorker = startWorker;
        this.slots = new WorkerSlots(settings);
    }

    static SessionResult.SessionLost noWorkerResult() {
        return new SessionResult.SessionLost(SessionResult.SessionLossReason.UNAVAILABLE, "No worker is available now");
    }

    /** Runs a task now or queues it; returns false when no worker is available. */
    boolean schedule(WorkerTask task, long number) {
        Worker worker;
        synchronized (this) {
            if (closed) {
                return false;
            }
            if (task.isDone()) {
                return true;
            }
            worker = chooseWorker(task);
            if (worker == null && isStartSuspended()) {
                return false;
            } else if (worker == null) {
                queue.add(new QueuedWorkerTask(task, number));
            }
        }
        if (worker != null) {
            new TaskAssignment(task, number, worker).run();
        }
        startMissingWorkers();
        return true;
    }

    /** Removes a queued task; returns false when the task is not queued. */
    synchronized boolean removeQueued(WorkerTask task) {
        return queue.removeIf(waiting -> waiting.task() == task);
    }

    /** Stops assigning tasks to the worker. */
    synchronized void retireWorker(Worker worker) {
        WorkerSlot seat = slots.get(worker);
        if (seat != null) {
            seat.retiring = true;
        }
    }

    void workerReady(Worker worker) {
        boolean late;
        synchronized (this) {
            workerStarted = true;
            startFailures = 0;
            WorkerSlot seat = slots.get(worker);
            late = seat == null || closed;
            if (seat != null) {
                seat.ready = true;
            }
        }
        if (late) {
            worker.killAtOnce();
        }
        assignQueuedTasks();
    }

    /** Handles the end of one of the worker's tasks. */
    void taskFinished(Worker worker) {
        boolean discard = false;
        boolean waiting;
        synchronized (this) {
            WorkerSlot seat = slots.get(worker);
            if (seat != null) {
                seat.load--;
                seat.retiring = seat.retiring
                        || settings.sharing() == WorkerSharing.NONE
                        || slots.isDueForRecycling(worker, seat, System.nanoTime());
                discard = seat.retiring && seat.load == 0;
            }
            waiting = !queue.isEmpty();
        }
        if (discard) {
            worker.killAtOnce();
        }
        if (waiting) {
            assignQueuedTasks();
        }
    }

    void workerExited(Worker worker) {
        List<QueuedWorkerTask> hopeless = new ArrayList<>();
        synchronized (this) {
            WorkerSlot seat = slots.remove(worker);
            if (seat != null && !seat.ready && !closed) {
                startFailures++;
                lastFailureNanos = System.nanoTime();
                if (isStartSuspended()) {
                    hopeless.addAll(queue);
                    queue.clear();
                }
            }
            notifyAll();
        }
        hopeless.forEach(waiting -> waiting.task().onWorkerLost(noWorkerResult()));
        startMissingWorkers();
        assignQueuedTasks();
    }

    /** Starts as many workers as are wanted and allowed, and retires workers in favor of waiting tenants. */
    void startMissingWorkers() {
        List<Worker> missing = new ArrayList<>();
        Worker evicted = null;
        synchronized (this) {
            if (closed
                    || isStartSuspended()
                    || (startFailures > 0
                            && System.nanoTime() - lastFailureNanos < START_RETRY_NANOS
                            && slots.isEmpty()
                            && queue.isEmpty())) {
                return;
            }
            Set<String> tenants = new HashSet<>();
            int ownWorkers = 0;
            for (QueuedWorkerTask waiting : queue) {
                if (needsOwnWorker(waiting.task())) {
                    ownWorkers++;
                } else {
                    tenants.add(waiting.task().tenant());
                }
            }
            int wanted = settings.minIdleWorkers()
                    + (tenantWorkerBusy ? 1 : 0)
                    + (settings.sharing() == WorkerSharing.NONE ? queue.size() : tenants.size());
            // If no idle worker is kept, one start shows whether workers can start.
            wanted = Math.max(wanted, canStartWorkers() ? 0 : 1);
            int spare = slots.count(WorkerSlot::isSpare);
            if (!tenants.isEmpty() && spare == 0 && slots.remainingCapacity() <= 0) {
                evicted = slots.retireIdle(tenants);
                if (evicted == null) {
                    slots.retireForWaitingTenant(tenants);
                }
            }
            addWorkers(missing, Math.min(wanted - spare, slots.remainingCapacity()), false);
            int starting = slots.count(seat -> seat.forOneTask && !seat.retiring);
            addWorkers(missing, Math.min(ownWorkers - starting, slots.remainingCapacityForOneTask()), true);
        }
        if (evicted != null) {
            evicted.killAtOnce();
        }
        missing.forEach(startWorker);
    }

    private void addWorkers(List<Worker> target, int count, boolean forOneTask) {
        for (int i = 0; i < count; i++) {
            Worker worker = newWorker.get();
            slots.add(worker, forOneTask);
            target.add(worker);
        }
    }

    /** Checks all workers and replaces old, worn or stuck ones; called periodically. */
    void inspectWorkers(long now) {
        List<Worker> all;
        List<Worker> leaving;
        synchronized (this) {
            all = slots.workers();
            if (queue.stream().noneMatch(waiting -> needsOwnWorker(waiting.task()))) {
                slots.retireUnusedForOneTask();
            }
            leaving = slots.retireDueForRecycling(now);
        }
        all.forEach(worker -> worker.checkHealth(now));
        leaving.forEach(Worker::killAtOnce);
        startMissingWorkers();
    }

    synchronized SandboxStatus status(Isolation isolation) {
        int ready = slots.count(seat -> seat.ready);
        int warm = slots.count(seat -> seat.ready && seat.isSpare());
        int sessions = slots.totalLoad() + queue.size();
        boolean available = ready > 0 || (settings.minIdleWorkers() == 0 && canStartWorkers());
        return new SandboxStatus(
                "worker", available, ready, warm, sessions, isolation.activeFeatures(), isolation.missingFeatures());
    }

    void close() {
        List<Worker> all;
        List<QueuedWorkerTask> waiting;
        synchronized (this) {
            closed = true;
            all = slots.workers();
            waiting = List.copyOf(queue);
            queue.clear();
        }
        waiting.forEach(each -> each.task().onWorkerLost(noWorkerResult()));
        all.forEach(Worker::close);
    }

    /** Waits until all workers are gone, at most {@code nanos} nanoseconds. */
    synchronized void awaitNoWorkers(long nanos) {
        long deadline = System.nanoTime() + nanos;
        try {
            for (long left = nanos; !slots.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
                wait(Math.max(1, left / 1_000_000));
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void assignQueuedTasks() {
        List<TaskAssignment> matches = new ArrayList<>();
        synchronized (this) {
            Set<String> hopeless = new HashSet<>();
            for (Iterator<QueuedWorkerTask> each = queue.iterator(); each.hasNext(); ) {
                QueuedWorkerTask waiting = each.next();
                WorkerTask task = waiting.task();
                if (task.isDone()) {
                    each.remove();
                } else if (!hopeless.contains(task.tenant())) {
                    Worker worker = chooseWorker(task);
                    if (worker != null) {
                        each.remove();
                        matches.add(new TaskAssignment(task, waiting.taskNumber(), worker));
                    } else if (!needsOwnWorker(task)) {
                        hopeless.add(task.tenant());
                    }
                }
            }
        }
        matches.forEach(TaskAssignment::run);
        if (!matches.isEmpty()) {
            startMissingWorkers();
        }
    }

    /** Chooses the worker for a tenant's next task and counts the task; returns null when the task must wait. */
    private @Nullable Worker chooseWorker(WorkerTask task) {
        String tenant = task.tenant();
        if (needsOwnWorker(task)) {
            Worker unused = slots.findLeastLoaded(seat -> seat.forOneTask);
            return unused == null ? null : slots.assignAlone(unused, tenant);
        }
        Worker own = settings.sharing() == WorkerSharing.NONE
                ? null
                : slots.findLeastLoaded(seat ->
                        !seat.forOneTask && (settings.sharing() == WorkerSharing.ALL || tenant.equals(seat.tenant)));
        Worker chosen = own;
        boolean computes = own != null && own.computingCount() >= settings.threadsPerWorker();
        if (own == null || computes || slots.requireSlot(own).load >= BUSY_LOAD) {
            Worker spare = slots.findLeastLoaded(WorkerSlot::isSpare);
            chosen = spare == null ? own : spare;
        }
        tenantWorkerBusy = computes && chosen == own;
        return chosen == null ? null : slots.assign(chosen, tenant);
    }

    /** Without sharing, each task has its own worker anyway. */
    private boolean needsOwnWorker(WorkerTask task) {
        return settings.sharing() != WorkerSharing.NONE && task.needsOwnWorker();
    }

    /** Returns whether the last start of a worker succeeded. */
    private boolean canStartWorkers() {
        return workerStarted && startFailures == 0;
    }

    private boolean isStartSuspended() {
        return startFailures >= MAX_START_FAILURES && System.nanoTime() - lastFailureNanos < START_RETRY_NANOS;
    }
}
