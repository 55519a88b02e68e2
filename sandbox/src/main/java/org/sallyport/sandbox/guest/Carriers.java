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
final class Carriers {
    private static final System.Logger LOG = System.getLogger(Carriers.class.getName());

    /** However many scripts compute. */
    static final int MOST = 32;

    static final long STACK_BYTES = 16L << 20;
    private static final long LONG_NANOS = 20_000_000;
    private static final long SPARE_MILLIS = 1_000;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final BlockingQueue<Runnable> turns = new LinkedBlockingQueue<>();
    private final List<Carrier> carriers = new CopyOnWriteArrayList<>();
    private final int few;
    private final Runnable idle;
    private final AtomicInteger resting = new AtomicInteger();
    private final AtomicInteger names = new AtomicInteger();
    private volatile boolean closed;

    /**
     * @param few how many there are while no turn waits long
     * @param idle run by a carrier that has nothing to do; short, since a turn may come meanwhile
     */
    Carriers(int few, Runnable idle) {
        this.few = few;
        this.idle = idle;
        for (int i = 0; i < few; i++) {
            add();
        }
    }

    void execute(Runnable turn) {
        turns.add(turn);
    }

    /** Adds carriers when turns wait and all that there are have computed for long; called now and then. */
    void grow(long now) {
        int waiting = turns.size();
        int present = carriers.size();
        if (waiting == 0 || present >= MOST || closed || !carriers.stream().allMatch(each -> each.computesLong(now))) {
            return;
        }
        for (int i = Math.min(waiting, Math.min(present, MOST - present)); i > 0; i--) {
            add();
        }
    }

    /** How many there are. */
    int count() {
        return carriers.size();
    }

    /** The sessions that compute just now. */
    List<GuestSession> computing() {
        return carriers.stream()
                .map(carrier -> carrier.session)
                .filter(java.util.Objects::nonNull)
                .toList();
    }

    /** Says what the calling carrier does now; null for nothing. */
    static void occupy(@Nullable GuestSession session) {
        if (Thread.currentThread() instanceof Carrier carrier) {
            carrier.session = session;
        }
    }

    /** CPU time and allocation of the calling thread. */
    static Usage usage() {
        return usageOf(Thread.currentThread().getId());
    }

    /** CPU time and allocation of a thread that runs. */
    static Usage usageOf(long thread) {
        return new Usage(
                Math.max(0, THREADS.getThreadCpuTime(thread)), Math.max(0, THREADS.getThreadAllocatedBytes(thread)));
    }

    /** Gives up the carrier that is stuck in {@code session}, and starts another in its place. */
    void abandon(GuestSession session) {
        for (Carrier carrier : List.copyOf(carriers)) {
            if (carrier.session == session && carriers.remove(carrier)) {
                carrier.abandoned = true;
                add();
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
        carriers.forEach(each -> turns.add(() -> {}));
        long end = System.nanoTime() + patience.toNanos();
        for (Carrier carrier : carriers) {
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

    private void add() {
        Carrier carrier = new Carrier("sallyport-carrier-" + names.incrementAndGet());
        carriers.add(carrier);
        carrier.start();
    }

    /**
     * What a thread has used since it started.
     *
     * @param cpuNanos computing time in nanoseconds
     * @param allocatedBytes memory asked for, whether still held or not
     */
    record Usage(long cpuNanos, long allocatedBytes) {
        static final Usage NONE = new Usage(0, 0);

        Usage plus(Usage other) {
            return new Usage(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes);
        }

        Usage minus(Usage other) {
            return new Usage(cpuNanos - other.cpuNanos, allocatedBytes - other.allocatedBytes);
        }
    }

    /** The next turn; null when the calling carrier is not needed any more. */
    private @Nullable Runnable next(Carrier carrier) throws InterruptedException {
        Runnable turn = turns.poll();
        if (turn != null) {
            return turn;
        }
        resting.incrementAndGet();
        try {
            idle.run();
            while (turn == null && !closed) {
                if (carriers.size() <= few) {
                    return turns.take();
                }
                turn = turns.poll(SPARE_MILLIS, TimeUnit.MILLISECONDS);
                if (turn == null && isSpare(carrier)) {
                    return null;
                }
            }
            return turn;
        } finally {
            resting.decrementAndGet();
        }
    }

    /** One stays for the turns that come while the others compute. */
    private synchronized boolean isSpare(Carrier carrier) {
        return carriers.size() > few && resting.get() > 1 && carriers.remove(carrier);
    }

    private final class Carrier extends Thread {
        private volatile @Nullable GuestSession session;
        private volatile boolean abandoned;
        private volatile long turnNanos;
        private volatile boolean inTurn;

        Carrier(String name) {
            super(null, null, name, STACK_BYTES);
            setDaemon(true);
        }

        boolean computesLong(long now) {
            return inTurn && now - turnNanos > LONG_NANOS;
        }

        @Override
        public void run() {
            while (!closed && !abandoned) {
                try {
                    Runnable turn = next(this);
                    if (turn == null) {
                        return;
                    }
                    turnNanos = System.nanoTime();
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
