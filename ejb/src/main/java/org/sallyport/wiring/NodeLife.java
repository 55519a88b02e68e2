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
import org.sallyport.messaging.Destinations;
import org.sallyport.node.NodeIdentity;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Sweeper;

/** The threads on which a node lives: one renews its lease, one sweeps, and neither keeps the other waiting. */
final class NodeLife {
    private static final int RENEWALS = 10;
    private static final int LOOKS = 50;
    /** Those whose times come in such a while are woken together. */
    private static final long LEAST_WAIT = 5;

    private final long leaseMillis;
    private final long sweepMillis;
    private final ScheduledExecutorService looking;
    private final ScheduledExecutorService renewing;
    private final ScheduledExecutorService sweeping;
    /** Of the thread that sweeps. */
    private @Nullable ScheduledFuture<?> nextWake;

    NodeLife(Configuration configuration, Threads threads) {
        this.leaseMillis = configuration.get(Settings.NODE_LEASE).toMillis();
        this.sweepMillis = configuration.get(Settings.RUNNER_SWEEP).toMillis();
        this.looking = threads.scheduler();
        this.renewing = threads.single("sallyport-lease");
        this.sweeping = threads.single("sallyport-sweeper");
    }

    /** What no other life of this node ever had; the resource adapter has chosen it when there is one. */
    static String life() {
        return Optional.ofNullable(System.getProperty(Destinations.INCARNATION))
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
    void begin(LeaseKeeper lease, Sweeper sweeper) {
        lease.join();
        renewing.scheduleAtFixedRate(
                lease::renew, leaseMillis / RENEWALS, leaseMillis / RENEWALS, TimeUnit.MILLISECONDS);
        looking.scheduleAtFixedRate(lease::watch, leaseMillis / LOOKS, leaseMillis / LOOKS, TimeUnit.MILLISECONDS);
        sweeping.scheduleWithFixedDelay(
                () -> {
                    sweeper.sweep();
                    wakeInTime(sweeper);
                },
                0,
                sweepMillis,
                TimeUnit.MILLISECONDS);
    }

    private void wakeInTime(Sweeper sweeper) {
        // One at a time, or each sweep would begin a chain of its own.
        ScheduledFuture<?> present = nextWake;
        if (present != null) {
            present.cancel(false);
        }
        nextWake = sweeper.wake(Duration.ofMillis(sweepMillis))
                .map(wait -> sweeping.schedule(
                        () -> wakeInTime(sweeper), Math.max(LEAST_WAIT, wait.toMillis() + 1), TimeUnit.MILLISECONDS))
                .orElse(null);
    }

    /** First of all, while everything that a sweep needs still stands. */
    void endSweeping() {
        sweeping.shutdownNow();
    }

    /** Once nothing runs any more. */
    void end(LeaseKeeper lease) {
        // Not at once: an interrupted renewal could close the file of an embedded database.
        renewing.shutdown();
        lease.leave();
    }
}
