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
 * The threads that guest code computes on, one turn of one session at a time. They are few, and more only while turns wait
 * for others that compute long: the system then shares its processors among them, and no script keeps another from its
 * turn. Their stacks are large, since a stack overflow at the wrong place breaks an engine for good. Thread-safe.
 */
final class GuestThreads {
    private static final System.Logger LOG = System.getLogger(GuestThreads.class.getName());

    /** However many scripts compute. */
    static final int MAX_THREADS = 32;

    static final long STACK_BYTES = 16L << 20;
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
     * @param few how many there are while no turn waits long
     * @param idle run by a carrier that has nothing to do; short, since a turn may come meanwhile
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

    /** Adds carriers when turns wait and all that there are have computed for long; called now and then. */
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

    /** How many there are. */
    int count() {
        return threads.size();
    }

    /** The sessions that compute just now. */
    List<GuestSession> computing() {
        return threads.stream()
                .map(carrier -> carrier.session)
                .filter(java.util.Objects::nonNull)
                .toList();
    }

    /** Says what the calling carrier does now; null for nothing. */
    static void setCurrentSession(@Nullable GuestSession session) {
        if (Thread.currentThread() instanceof GuestThread carrier) {
            carrier.session = session;
        }
    }

    /** CPU time and allocation of the calling thread. */
    static ThreadUsage currentUsage() {
        return usageOf(Thread.currentThread().getId());
    }

    /** CPU time and allocation of a thread that runs. */
    static ThreadUsage usageOf(long thread) {
        return new ThreadUsage(
                Math.max(0, THREAD_BEAN.getThreadCpuTime(thread)),
                Math.max(0, THREAD_BEAN.getThreadAllocatedBytes(thread)));
    }

    /** Gives up the carrier that is stuck in {@code session}, and starts another in its place. */
    void replaceStuckThread(GuestSession session) {
        for (GuestThread carrier : List.copyOf(threads)) {
            if (carrier.session == session && threads.remove(carrier)) {
                carrier.abandoned = true;
                addThread();
            }
        }
    }

    /**
     * Ends the carriers, and waits for them so long: what they compute in must not be closed meanwhile. Does not interrupt them, for
     * they may be in the middle of making a context.
     */
    void close(Duration patience) {
        closed = true;
        // Whoever waits for a turn gets one that does nothing.
        threads.forEach(each -> turns.add(() -> {}));
        long end = System.nanoTime() + patience.toNanos();
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
     * What a thread has used since it started.
     *
     * @param cpuNanos computing time in nanoseconds
     * @param allocatedBytes memory asked for, whether still held or not
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

    /** The next turn; null when the calling carrier is not needed any more. */
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

    /** One stays for the turns that come while the others compute. */
    private synchronized boolean removeIfSpare(GuestThread carrier) {
        return threads.size() > minThreads && idleThreads.get() > 1 && threads.remove(carrier);
    }

    private final class GuestThread extends Thread {
        private volatile @Nullable GuestSession session;
        private volatile boolean abandoned;
        private volatile long turnStartNanos;
        private volatile boolean inTurn;

        GuestThread(String name) {
            super(null, null, name, STACK_BYTES);
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
                    // What was meant for the script before must not stop this one.
                    Thread.interrupted();
                    turn.run();
                } catch (InterruptedException closing) {
                    // Meant for the script before; the loop's condition says whether to go on.
                } catch (RuntimeException | Error failure) {
                    LOG.log(System.Logger.Level.ERROR, "a turn failed; its carrier goes on", failure);
                } finally {
                    inTurn = false;
                    session = null;
                }
            }
        }
    }
}
