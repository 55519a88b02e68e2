package org.sallyport.server;

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

/** The threads of a node: one renews the lease, one sweeps, and neither delays the other or waits for a connection. */
final class NodeLifecycle {
    private static final int RENEWALS_PER_LEASE = 10;
    private static final int RENEWAL_CHECKS_PER_LEASE = 50;
    /** Executions that become due within this time are resumed together. */
    private static final long MIN_WAIT_MILLIS = 5;

    private final long leaseMillis;
    private final long sweepMillis;
    private final ScheduledExecutorService checkExecutor;
    private final ScheduledExecutorService renewalExecutor;
    private final ScheduledExecutorService sweepExecutor;
    /** Used only by the sweeper thread. */
    private @Nullable ScheduledFuture<?> nextResume;

    NodeLifecycle(Configuration configuration, ServerExecutors threads) {
        this.leaseMillis = configuration.get(Settings.NODE_LEASE).toMillis();
        this.sweepMillis = configuration.get(Settings.RUNNER_SWEEP_INTERVAL).toMillis();
        this.checkExecutor = threads.scheduler();
        this.renewalExecutor = threads.newReservedThread("sallyport-lease");
        this.sweepExecutor = threads.newReservedThread("sallyport-sweeper");
    }

    /** Returns the unique text of this node's incarnation; the resource adapter has chosen it when there is one. */
    static String incarnation() {
        return Optional.ofNullable(System.getProperty(JmsDestinations.INCARNATION_PROPERTY))
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    static NodeIdentity identity(Configuration configuration, Path data, String suffix) throws IOException {
        return NodeIdentity.of(data, configuration.get(Settings.NODE_ID), suffix, host());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /**
     * Acquires the lease, so that executions start, and keeps renewing it. Throws when another node has the same id.
     */
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
        // Only one pending task, otherwise each sweep would start a chain of its own.
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

    /** Called first during shutdown, while the services that a sweep needs are still open. */
    void stopSweeping() {
        sweepExecutor.shutdownNow();
    }

    /** Called when no execution runs any more. */
    void releaseLease(LeaseManager lease) {
        // No immediate shutdown: interrupting a renewal could close the file of an embedded database.
        renewalExecutor.shutdown();
        lease.release();
    }
}
