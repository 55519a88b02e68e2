package org.sallyport.sandbox.guest;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The few threads that guest code computes on, one turn of one session at a time. Their stacks are large, since a stack
 * overflow at the wrong place breaks an engine for good. Thread-safe.
 */
final class Carriers implements AutoCloseable {
    private static final long STACK_BYTES = 16L << 20;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final BlockingQueue<Runnable> turns = new LinkedBlockingQueue<>();
    private final List<Carrier> carriers = new CopyOnWriteArrayList<>();
    private final Runnable idle;
    private final AtomicInteger names = new AtomicInteger();
    private volatile boolean closed;

    /** @param idle run by a carrier that has nothing to do; short, since a turn may come meanwhile */
    Carriers(int count, Runnable idle) {
        this.idle = idle;
        for (int i = 0; i < count; i++) {
            add();
        }
    }

    void execute(Runnable turn) {
        turns.add(turn);
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

    @Override
    public void close() {
        closed = true;
        carriers.forEach(Thread::interrupt);
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

    private final class Carrier extends Thread {
        private volatile @Nullable GuestSession session;
        private volatile boolean abandoned;

        Carrier(String name) {
            super(null, null, name, STACK_BYTES);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!closed && !abandoned) {
                try {
                    Runnable turn = turns.poll();
                    if (turn == null) {
                        idle.run();
                        turn = turns.take();
                    }
                    turn.run();
                } catch (InterruptedException closing) {
                    // Only close() interrupts; the loop's condition sees it.
                } finally {
                    session = null;
                }
            }
        }
    }
}
