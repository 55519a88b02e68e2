package org.sallyport.sandbox.guest;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run guest code, one turn of one session at a time. Their number grows only while turns wait behind
 * long turns: the system then shares its processors among the threads, and no script can block the turns of another.
 * Their stacks are large, because a stack overflow in the wrong place breaks an engine permanently. A thread that has
 * used much of its stack ends with its turn. Thread-safe.
 */
final class GuestThreads {
    private static final System.Logger LOG = System.getLogger(GuestThreads.class.getName());

    /** Upper bound, regardless of how many scripts compute. */
    static final int MAX_THREADS = 32;

    /** A third more than the largest calls that {@link CallDepthLimiter} allows need, compiled or not. */
    static final long STACK_BYTES = 80L << 20;

    private static final long LONG_TURN_NANOS = 20_000_000;
    private static final long SPARE_IDLE_MILLIS = 1_000;
    private static final com.sun.management.ThreadMXBean THREAD_BEAN =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final BlockingQueue<Runnable> turns = new LinkedBlockingQueue<>();
    private final List<GuestThread> threads = new CopyOnWriteArrayList<>();
    private final int minThreads;
    private final Runnable idleTask;
    private final AtomicInteger idleThreads = new AtomicInteger();
    private final AtomicInteger threadNumbers = new AtomicInteger();
    private volatile boolean closed;

    /**
     * @param few number of threads while no turn waits long
     * @param idle run by a thread that becomes idle; must be short, because a turn may arrive meanwhile
     */
    GuestThreads(int few, Runnable idle) {
        this.minThreads = few;
        this.idleTask = idle;
        for (int i = 0; i < few; i++) {
            addThread();
        }
    }

    void execute(Runnable turn) {
        turns.add(turn);
    }

    /** Adds threads when turns wait and all existing threads are in long turns; called periodically. */
    void growIfBusy(long now) {
        int waiting = turns.size();
        int present = threads.size();
        if (waiting == 0
                || present >= MAX_THREADS
                || closed
                || !threads.stream().allMatch(each -> each.isInLongTurn(now))) {
            return;
        }
        for (int i = Math.min(waiting, Math.min(present, MAX_THREADS - present)); i > 0; i--) {
            addThread();
        }
    }

    /** Returns the number of threads. */
    int count() {
        return threads.size();
    }

    /** Returns the sessions that are computing now. */
    List<GuestSession> computing() {
        return threads.stream()
                .map(carrier -> carrier.session)
                .filter(java.util.Objects::nonNull)
                .toList();
    }

    /** Sets the session that the calling thread runs; null for none. */
    static void setCurrentSession(@Nullable GuestSession session) {
        if (Thread.currentThread() instanceof GuestThread carrier) {
            carrier.session = session;
        }
    }

    /** Returns CPU time and allocation of the calling thread. */
    static ThreadUsage currentUsage() {
        return usageOf(Thread.currentThread().getId());
    }

    /** Returns CPU time and allocation of a running thread. */
    static ThreadUsage usageOf(long thread) {
        return new ThreadUsage(
                Math.max(0, THREAD_BEAN.getThreadCpuTime(thread)),
                Math.max(0, THREAD_BEAN.getThreadAllocatedBytes(thread)));
    }

    /** Abandons the thread that is stuck in {@code session}, and starts another in its place. */
    void replaceStuckThread(GuestSession session) {
        for (GuestThread carrier : List.copyOf(threads)) {
            if (carrier.session == session && threads.remove(carrier)) {
                carrier.abandoned = true;
                addThread();
            }
        }
    }

    /**
     * Stops the threads and waits for them, at most {@code timeout}: the engine that they use must not be closed
     * meanwhile. Does not interrupt them, because they may be creating a context.
     */
    void close(Duration timeout) {
        closed = true;
        // Wakes each waiting thread with an empty turn.
        threads.forEach(each -> turns.add(() -> {}));
        long end = System.nanoTime() + timeout.toNanos();
        for (GuestThread carrier : threads) {
            if (carrier == Thread.currentThread()) {
                continue;
            }
            try {
                carrier.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void addThread() {
        GuestThread carrier = new GuestThread("sallyport-carrier-" + threadNumbers.incrementAndGet());
        threads.add(carrier);
        carrier.start();
    }

    /**
     * Resources that a thread has used since it started.
     *
     * @param cpuNanos CPU time in nanoseconds
     * @param allocatedBytes allocated memory in bytes, whether still held or not
     */
    record ThreadUsage(long cpuNanos, long allocatedBytes) {
        static final ThreadUsage NONE = new ThreadUsage(0, 0);

        ThreadUsage plus(ThreadUsage other) {
            return new ThreadUsage(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes);
        }

        ThreadUsage minus(ThreadUsage other) {
            return new ThreadUsage(cpuNanos - other.cpuNanos, allocatedBytes - other.allocatedBytes);
        }
    }

    /** Returns the next turn; null when the calling thread is no longer needed. */
    private @Nullable Runnable awaitTurn(GuestThread carrier) throws InterruptedException {
        Runnable turn = turns.poll();
        if (turn != null) {
            return turn;
        }
        idleThreads.incrementAndGet();
        try {
            idleTask.run();
            while (turn == null && !closed) {
                if (threads.size() <= minThreads) {
                    return turns.take();
                }
                turn = turns.poll(SPARE_IDLE_MILLIS, TimeUnit.MILLISECONDS);
                if (turn == null && removeIfSpare(carrier)) {
                    return null;
                }
            }
            return turn;
        } finally {
            idleThreads.decrementAndGet();
        }
    }

    /** Removes a spare idle thread. One idle thread stays for turns that arrive while the others compute. */
    private synchronized boolean removeIfSpare(GuestThread carrier) {
        return threads.size() > minThreads && idleThreads.get() > 1 && threads.remove(carrier);
    }

    /** Starts a thread in the place of one that ends, so that the pages of its stack become free. */
    private void replaceThread(GuestThread ended) {
        if (threads.remove(ended) && !closed) {
            addThread();
        }
    }

    private final class GuestThread extends CallCountingThread {
        private volatile @Nullable GuestSession session;
        private volatile boolean abandoned;
        private volatile long turnStartNanos;
        private volatile boolean inTurn;

        GuestThread(String name) {
            super(name, STACK_BYTES);
            setDaemon(true);
        }

        boolean isInLongTurn(long now) {
            return inTurn && now - turnStartNanos > LONG_TURN_NANOS;
        }

        @Override
        public void run() {
            while (!closed && !abandoned) {
                try {
                    Runnable turn = awaitTurn(this);
                    if (turn == null) {
                        return;
                    }
                    turnStartNanos = System.nanoTime();
                    inTurn = true;
                    // An interrupt meant for the previous script must not stop this one.
                    Thread.interrupted();
                    resetCalls();
                    turn.run();
                } catch (InterruptedException closing) {
                    // Meant for the previous script; the loop condition tells whether to continue.
                } catch (RuntimeException | Error failure) {
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "a task of a script failed; its carrier thread" + " continues",
                            failure);
                } finally {
                    inTurn = false;
                    session = null;
                }
                if (isDeepStackUsed()) {
                    replaceThread(this);
                    return;
                }
            }
        }
    }
}
