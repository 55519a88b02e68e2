package org.sallyport.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.UnaryOperator;

/**
 * The kinds of server that test classes share. A test JVM starts a server of a kind when a class first requests it, and
 * keeps it for later classes.
 */
public enum ServerProfile {
    /**
     * Only the settings that let tests create tenants. There are two servers, because most classes use this profile.
     */
    PLAIN(2, setup -> setup),

    /**
     * Runs at most {@link #MAX_LIVE_EXECUTIONS} executions at a time, which nest at most three deep. Its grace period
     * of half a minute makes shutdown tests independent of other load on the machine. Tests may stop it; the next test
     * gets a restarted server.
     */
    SMALL(
            1,
            setup -> setup.with(
                            "sallyport.runner.max-live-executions", Integer.toString(ServerProfile.MAX_LIVE_EXECUTIONS))
                    .with("sallyport.limits.max-nesting-depth", "3")
                    .with("sallyport.limits.max-nested-executions", "20")
                    .with("sallyport.shutdown.grace-millis", "30000")),

    /**
     * Enables features that are off by default, offers a login at an {@link FakeOpenIdProvider}, exports its traces to
     * {@link FakeOtlpCollector#shared}, has the example connector in Java, and allows intervals of a second where the
     * default is a minute.
     */
    RICH(
            1,
            setup -> withShortIntervals(FakeOpenIdProvider.configure(
                            FakeOtlpCollector.shared().configure(setup)))
                    .with("sallyport.approvals.allow-self-approval", "true")
                    .with("sallyport.connectors.listen-address", Integer.toString(ServerSetup.freePort()))
                    .with("sallyport.connectors.protocols", "AMQP,STOMP")
                    .with(
                            "sallyport.extensions.directory",
                            ExampleConnector.copyTo(ServerSetup.temporaryDirectory())
                                    .toString())
                    .with("sallyport.jwt.clock-skew-millis", "1000")
                    .with("sallyport.modules.registry", moduleRegistry().toString())
                    .with("sallyport.sandbox.debug", "true")
                    .with("sallyport.sandbox.allow-in-process-capabilities", "true")),

    /**
     * Parks executions that wait for a second, and runs at most {@link #MAX_LIVE_EXECUTIONS} executions at a time. Only
     * slow tests use it.
     */
    PARKING(
            1,
            setup -> setup.with("sallyport.runner.park-after-millis", "1000")
                    .with("sallyport.runner.max-live-executions", Integer.toString(ServerProfile.MAX_LIVE_EXECUTIONS))),

    /**
     * Stores executions in {@link LossyPostgreSql#shared}, whose commits tests can lose. Parks executions that wait for
     * a second, and sends lost job messages again after two seconds.
     */
    POSTGRESQL(
            1,
            setup -> LossyPostgreSql.shared()
                    .configure(setup)
                    .with("sallyport.runner.park-after-millis", "1000")
                    .with("sallyport.runner.resend-millis", "2000")),

    /**
     * Obeys {@link FailpointControl#shared}, which can lose its commits and end it. Runs at most {@link
     * #MAX_RECOVERED_EXECUTIONS} executions at a time, parks executions that wait for a second, sends lost job messages
     * again after two seconds, and does not count its deaths: no script is their cause. Callbacks and schedules have
     * the intervals of {@link #RICH}.
     */
    FAILPOINTS(
            1,
            setup -> FailpointControl.shared()
                    .configure(withShortIntervals(setup))
                    .withServerDirectory(FailpointBuild.createServerDirectory())
                    .with("sallyport.execution.max-attempts", "100")
                    .with("sallyport.runner.crash-loop-starts", "1000000")
                    .with(
                            "sallyport.runner.max-live-executions",
                            Integer.toString(ServerProfile.MAX_RECOVERED_EXECUTIONS))
                    .with("sallyport.runner.park-after-millis", "1000")
                    .with("sallyport.runner.resend-millis", "2000")
                    // On a busy machine more than the default of 100 fire times may be due before the scheduler handles
                    // all of them.
                    .with("sallyport.schedules.max-misfires", "10000"));

    /** Largest number of concurrent executions of {@link #SMALL} and {@link #PARKING}. */
    public static final int MAX_LIVE_EXECUTIONS = 4;

    /**
     * Largest number of concurrent executions of {@link #FAILPOINTS}: one for each execution of {@code CrashRecoveryIT}
     * that waits for its release or sleeps without being parked when the server dies, and one for all other executions.
     */
    public static final int MAX_RECOVERED_EXECUTIONS = 9;

    private static final String MODULE_SOURCE = "exports.shout = (text) => text.toUpperCase() + '!';";

    private final int copies;
    private final UnaryOperator<ServerSetup> settings;

    ServerProfile(int copies, UnaryOperator<ServerSetup> settings) {
        this.copies = copies;
        this.settings = settings;
    }

    /** Number of servers of this kind. One class at a time uses each. */
    int copies() {
        return copies;
    }

    /** A setup of this kind with a fresh data directory, not yet started. */
    public ServerSetup newSetup(String name) {
        return settings.apply(TestTenant.configure(ServerSetup.create(name)));
    }

    /** Lets tests receive callbacks, and wait for schedules and for the tool graph for a short time. */
    private static ServerSetup withShortIntervals(ServerSetup setup) {
        return setup.with("sallyport.callbacks.allowed-hosts", "127.0.0.1,localhost")
                .with("sallyport.callbacks.allow-private-addresses", "true")
                .with("sallyport.callbacks.timeout-millis", "10000")
                .with("sallyport.callbacks.retry-millis", "200")
                .with("sallyport.callbacks.attempts", "4")
                .with("sallyport.callbacks.result-bytes", "1000")
                .with("sallyport.schedules.min-interval-millis", "1000")
                .with("sallyport.schedules.max-per-tenant", "50")
                .with("sallyport.tool-graph.ingest-delay-millis", "200");
    }

    /** A file that registers the module {@code shout@1.0.0}. */
    private static Path moduleRegistry() {
        Path directory = ServerSetup.temporaryDirectory();
        try {
            Files.writeString(directory.resolve("shout.js"), MODULE_SOURCE);
            String hash = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(MODULE_SOURCE.getBytes(StandardCharsets.UTF_8)));
            return Files.writeString(
                    directory.resolve("modules.json"),
                    "[{\"name\":\"shout\",\"version\":\"1.0.0\",\"file\":\"shout.js\",\"sha256\":\"" + hash + "\"}]");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
