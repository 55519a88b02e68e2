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
 * Sends job messages on its own threads, because a broker that blocks (for example on a full disk) must not hold up a
 * request that is already committed. Keeps few messages in the broker at the same time, so that the queue here can
 * share the broker fairly between tenants. Drops jobs that exceed the bounds; the sweeper sends them later.
 * Thread-safe.
 */
public final class JobDispatcher implements AutoCloseable {
    private static final Logger LOG = System.getLogger(JobDispatcher.class.getName());
    private static final long OUTAGE_LOG_INTERVAL_NANOS = 10_000_000_000L;
    private static final long MIN_POLL_MILLIS = 50;
    private static final long MAX_POLL_MILLIS = 1_000;
    /** Bounds for one tenant and for all tenants. A queued job costs little more than its id. */
    private static final int MAX_JOBS_PER_TENANT = 10_000;

    private static final int MAX_JOBS = 100_000;

    private final MessageSender sender;
    private final TenantFairQueue queue;
    private final Thread[] threads;
    private volatile boolean open = true;
    private volatile long outageLoggedNanos = System.nanoTime() - OUTAGE_LOG_INTERVAL_NANOS;

    /**
     * Starts the sender threads.
     *
     * @param window job messages that may wait in the broker
     * @param weights how many jobs of a tenant are sent per round
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

    /** Queues the job for sending and never blocks. Returns false when the queue is full; the job is then dropped. */
    public boolean enqueue(ExecutionJob job) {
        return queue.offer(job);
    }

    /** Records that this node has taken a job message from the broker. */
    public void jobConsumed(ExecutionJob job) {
        queue.jobConsumed(job.tenant());
    }

    /** Returns the number of jobs that wait here to be sent. */
    public int queuedCount() {
        return queue.queuedCount();
    }

    /** Returns whether the execution waits here to be sent. */
    public boolean isQueued(String tenant, ExecutionId id) {
        return queue.isQueued(tenant, id);
    }

    private void sendLoop() {
        long pollMillis = MIN_POLL_MILLIS;
        while (open) {
            try {
                Optional<TenantFairQueue.NextJob> next = queue.poll(pollMillis, TimeUnit.MILLISECONDS);
                if (next.isPresent()) {
                    pollMillis = MIN_POLL_MILLIS;
                    sendToBroker(next.get());
                } else {
                    pollMillis = Math.min(MAX_POLL_MILLIS, pollMillis * 2);
                    // No message was consumed on this node for a while; other nodes may have consumed some.
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
