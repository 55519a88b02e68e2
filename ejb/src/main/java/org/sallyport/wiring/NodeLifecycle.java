package org.sallyport.wiring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.messaging.JmsDestinations;
import org.sallyport.node.NodeIdentity;
import org.sallyport.runner.ExecutionSweeper;
import org.sallyport.runner.LeaseManager;

/** The threads on which a node lives: one renews its lease, one sweeps, and neither keeps the other waiting. */
final class NodeLifecycle {
    private static final int RENEWALS_PER_LEASE = 10;
    private static final int RENEWAL_CHECKS_PER_LEASE = 50;
    /** Those whose times come in such a while are woken together. */
    private static final long MIN_WAIT_MILLIS = 5;

    private final long leaseMillis;
    private final long sweepMillis;
    private final ScheduledExecutorService checkExecutor;
    private final ScheduledExecutorService renewalExecutor;
    private final ScheduledExecutorService sweepExecutor;
    /** Of the thread that sweeps. */
    private @Nullable ScheduledFuture<?> nextResume;

    NodeLifecycle(Configuration configuration, ServerExecutors threads) {
        this.leaseMillis = configuration.get(Settings.NODE_LEASE).toMillis();
        this.sweepMillis = configuration.get(Settings.RUNNER_SWEEP_INTERVAL).toMillis();
        this.checkExecutor = threads.scheduler();
        this.renewalExecutor = threads.newSingleThread("sallyport-lease");
        this.sweepExecutor = threads.newSingleThread("sallyport-sweeper");
    }

    /** What no other life of this node ever had; the resource adapter has chosen it when there is one. */
    static String incarnation() {
        return Optional.ofNullable(System.getProperty(JmsDestinations.INCARNATION_PROPERTY))
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    static NodeIdentity identity(Configuration configuration, Path data, String life) throws IOException {
        return NodeIdentity.of(data, configuration.get(Settings.NODE_ID), life, host());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** Takes the lease, so that work begins, and keeps it; throws when another node has this one's id. */
    void start(LeaseManager lease, ExecutionSweeper sweeper) {
        lease.acquire();
        renewalExecutor.scheduleAtFixedRate(
                lease::renew,
                leaseMillis / RENEWALS_PER_LEASE,
                leaseMillis / RENEWALS_PER_LEASE,
                TimeUnit.MILLISECONDS);
        checkExecutor.scheduleAtFixedRate(
                lease::checkExpiry,
                leaseMillis / RENEWAL_CHECKS_PER_LEASE,
                leaseMillis / RENEWAL_CHECKS_PER_LEASE,
                TimeUnit.MILLISECONDS);
        sweepExecutor.scheduleWithFixedDelay(
                () -> {
                    sweeper.sweep();
                    scheduleResume(sweeper);
                },
                0,
                sweepMillis,
                TimeUnit.MILLISECONDS);
    }

    private void scheduleResume(ExecutionSweeper sweeper) {
        // One at a time, or each sweep would begin a chain of its own.
        ScheduledFuture<?> present = nextResume;
        if (present != null) {
            present.cancel(false);
        }
        nextResume = sweeper.resumeDue(Duration.ofMillis(sweepMillis))
                .map(wait -> sweepExecutor.schedule(
                        () -> scheduleResume(sweeper),
                        Math.max(MIN_WAIT_MILLIS, wait.toMillis() + 1),
                        TimeUnit.MILLISECONDS))
                .orElse(null);
    }

    /** First of all, while everything that a sweep needs still stands. */
    void stopSweeping() {
        sweepExecutor.shutdownNow();
    }

    /** Once nothing runs any more. */
    void releaseLease(LeaseManager lease) {
        // Not at once: an interrupted renewal could close the file of an embedded database.
        renewalExecutor.shutdown();
        lease.release();
    }
}
