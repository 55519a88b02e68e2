package org.sallyport.submission;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import org.sallyport.execution.PendingJob;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.messaging.JobMessage;
import org.sallyport.messaging.MessageSender;
import org.sallyport.messaging.OutgoingMessage;

/**
 * Sends job messages on threads of its own: a broker that blocks (a full disk does that) must not hold the request that
 * was already committed. What does not fit its queue is dropped, and sent by the sweeper later.
 */
public final class JobDispatch implements AutoCloseable {
    private static final Logger LOG = System.getLogger(JobDispatch.class.getName());
    private static final long COMPLAIN_EVERY_NANOS = 10_000_000_000L;

    private final MessageSender sender;
    private final BlockingQueue<PendingJob> queue;
    private final Thread[] threads;
    private volatile boolean open = true;
    private volatile long complained = System.nanoTime() - COMPLAIN_EVERY_NANOS;

    /**
     * Starts the threads.
     *
     * @param capacity jobs kept while the broker is slow
     */
    public JobDispatch(MessageSender sender, ThreadFactory factory, int threads, int capacity) {
        this.sender = sender;
        this.queue = new ArrayBlockingQueue<>(capacity);
        this.threads = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            this.threads[i] = factory.newThread(this::pump);
            this.threads[i].start();
        }
    }

    /** Sends soon, or not at all; never blocks. Whether it was taken. */
    public boolean send(PendingJob job) {
        return queue.offer(job);
    }

    private void pump() {
        while (open) {
            try {
                PendingJob job = queue.take();
                sender.send(OutgoingMessage.job(new JobMessage(job)));
            } catch (InterruptedException e) {
                return;
            } catch (BrokerUnavailableException e) {
                complain(e);
            }
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
