package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.messaging.JobMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;

/**
 * Sends job messages on threads of its own: a broker that blocks (a full disk does that) must not hold the request that
 * was already committed. Few wait in the broker at one time, so that tenants can take turns. What does not fit is dropped, and
 * sent by the sweeper later.
 */
public final class JobDispatcher implements AutoCloseable {
    private static final Logger LOG = System.getLogger(JobDispatcher.class.getName());
    private static final long OUTAGE_LOG_INTERVAL_NANOS = 10_000_000_000L;
    private static final long MIN_POLL_MILLIS = 50;
    private static final long MAX_POLL_MILLIS = 1_000;
    /** Of one tenant, and of all: ids in memory. */
    private static final int MAX_JOBS_PER_TENANT = 10_000;

    private static final int MAX_JOBS = 100_000;

    private final MessageSender sender;
    private final TenantFairQueue queue;
    private final Thread[] threads;
    private volatile boolean open = true;
    private volatile long outageLoggedNanos = System.nanoTime() - OUTAGE_LOG_INTERVAL_NANOS;

    /**
     * Starts the threads.
     *
     * @param window job messages that may wait in the broker
     * @param weights how many jobs of a tenant go in one turn
     */
    public JobDispatcher(
            MessageSender sender, ThreadFactory factory, int threads, int window, ToIntFunction<String> weights) {
        this.sender = sender;
        this.queue = new TenantFairQueue(
                new TenantFairQueue.QueueBounds(window, MAX_JOBS_PER_TENANT, MAX_JOBS), weights, System::nanoTime);
        this.threads = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            this.threads[i] = factory.newThread(this::sendLoop);
            this.threads[i].start();
        }
    }

    /** Sends in its turn, or not at all; never blocks. Whether it was taken. */
    public boolean enqueue(ExecutionJob job) {
        return queue.offer(job);
    }

    /** A job message has been taken from the broker on this node. */
    public void jobConsumed(ExecutionJob job) {
        queue.jobConsumed(job.tenant());
    }

    /** Jobs that wait here for their turn. */
    public int queuedCount() {
        return queue.queuedCount();
    }

    /** Whether the execution waits here for its tenant's turn. */
    public boolean isQueued(String tenant, ExecutionId id) {
        return queue.isQueued(tenant, id);
    }

    private void sendLoop() {
        long look = MIN_POLL_MILLIS;
        while (open) {
            try {
                Optional<TenantFairQueue.NextJob> next = queue.poll(look, TimeUnit.MILLISECONDS);
                if (next.isPresent()) {
                    look = MIN_POLL_MILLIS;
                    sendToBroker(next.get());
                } else {
                    look = Math.min(MAX_POLL_MILLIS, look * 2);
                    // Nothing was taken here for a while: by others, perhaps.
                    queue.setWaitingInBroker(sender.countWaiting(JmsDestinations.JOBS, queue.sentCount() + 1));
                }
            } catch (InterruptedException e) {
                return;
            } catch (BrokerUnavailableException e) {
                logOutage(e);
            }
        }
    }

    private void sendToBroker(TenantFairQueue.NextJob next) {
        try {
            sender.send(OutgoingMessage.job(new JobMessage(next.job()), next.priorityLane()));
        } catch (BrokerUnavailableException e) {
            queue.jobConsumed(next.job().tenant());
            throw e;
        }
    }

    private void logOutage(BrokerUnavailableException e) {
        long now = System.nanoTime();
        if (now - outageLoggedNanos >= OUTAGE_LOG_INTERVAL_NANOS) {
            outageLoggedNanos = now;
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
