package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.PendingJob;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.Destinations;
import org.sallyport.messaging.JobMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;

/**
 * Sends job messages on threads of its own: a broker that blocks (a full disk does that) must not hold the request that
 * was already committed. Few wait in the broker at one time, so that tenants can take turns. What does not fit is dropped, and
 * sent by the sweeper later.
 */
public final class JobDispatch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(JobDispatch.class.getName());
    private static final long COMPLAIN_EVERY_NANOS = 10_000_000_000L;
    private static final long FIRST_LOOK_MILLIS = 50;
    private static final long LAST_LOOK_MILLIS = 1_000;
    /** Of one tenant, and of all: ids in memory. */
    private static final int MOST_OF_TENANT = 10_000;

    private static final int MOST = 100_000;

    private final MessageSender sender;
    private final FairQueue queue;
    private final Thread[] threads;
    private volatile boolean open = true;
    private volatile long complained = System.nanoTime() - COMPLAIN_EVERY_NANOS;

    /**
     * Starts the threads.
     *
     * @param window job messages that may wait in the broker
     * @param weights how many jobs of a tenant go in one turn
     */
    public JobDispatch(
            MessageSender sender, ThreadFactory factory, int threads, int window, ToIntFunction<String> weights) {
        this.sender = sender;
        this.queue = new FairQueue(new FairQueue.Bounds(window, MOST_OF_TENANT, MOST), weights, System::nanoTime);
        this.threads = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            this.threads[i] = factory.newThread(this::pump);
            this.threads[i].start();
        }
    }

    /** Sends in its turn, or not at all; never blocks. Whether it was taken. */
    public boolean send(PendingJob job) {
        return queue.offer(job);
    }

    /** A job message has been taken from the broker on this node. */
    public void taken(PendingJob job) {
        queue.left(job.tenant());
    }

    /** Jobs that wait here for their turn. */
    public int held() {
        return queue.held();
    }

    /** Whether the execution waits here for its tenant's turn. */
    public boolean holds(String tenant, ExecutionId id) {
        return queue.holds(tenant, id);
    }

    private void pump() {
        long look = FIRST_LOOK_MILLIS;
        while (open) {
            try {
                Optional<FairQueue.Next> next = queue.take(look, TimeUnit.MILLISECONDS);
                if (next.isPresent()) {
                    look = FIRST_LOOK_MILLIS;
                    send(next.get());
                } else {
                    look = Math.min(LAST_LOOK_MILLIS, look * 2);
                    // Nothing was taken here for a while: by others, perhaps.
                    queue.waiting(sender.waiting(Destinations.JOBS, queue.sent() + 1));
                }
            } catch (InterruptedException e) {
                return;
            } catch (BrokerUnavailableException e) {
                complain(e);
            }
        }
    }

    private void send(FairQueue.Next next) {
        try {
            sender.send(OutgoingMessage.job(new JobMessage(next.job()), next.ahead()));
        } catch (BrokerUnavailableException e) {
            queue.left(next.job().tenant());
            throw e;
        }
    }

    private void complain(BrokerUnavailableException e) {
        long now = System.nanoTime();
        if (now - complained >= COMPLAIN_EVERY_NANOS) {
            complained = now;
            LOG.log(
                    Level.WARNING,
                    "job messages cannot be sent; executions are kept and start when the broker is back",
                    e);
        }
    }

    @Override
    public void close() {
        open = false;
        for (Thread thread : threads) {
            thread.interrupt();
        }
    }
}
