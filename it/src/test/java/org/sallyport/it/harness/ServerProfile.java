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
 * The kinds of server that test classes share. A test JVM starts a server of a kind when a class first asks for it and keeps it
 * for those that follow.
 */
public enum ServerProfile {
    /** No settings besides those that let tests make tenants. Most classes use it: there are two. */
    PLAIN(2, setup -> setup),

    /**
     * Holds {@link #MAX_LIVE_EXECUTIONS} executions at one time, which nest three deep, and gives them half a minute when it is stopped, so that
     * what is heard within it does not depend on what else the machine does. Tests may end it: it is started again for the next
     * one.
     */
    SMALL(
            1,
            setup -> setup.with("sallyport.runner.live", Integer.toString(ServerProfile.MAX_LIVE_EXECUTIONS))
                    .with("sallyport.limits.nested-depth", "3")
                    .with("sallyport.limits.nested", "20")
                    .with("sallyport.shutdown.grace-millis", "30000")),

    /**
     * Allows what is off by default, offers a login at an {@link FakeOpenIdProvider}, sends its traces to
     * {@link FakeOtlpCollector#shared}, and does every second what others do every minute.
     */
    RICH(
            1,
            setup -> FakeOpenIdProvider.configure(FakeOtlpCollector.shared().configure(setup))
                    .with("sallyport.approvals.own", "true")
                    .with("sallyport.callbacks.hosts", "127.0.0.1,localhost")
                    .with("sallyport.callbacks.private", "true")
                    .with("sallyport.callbacks.timeout-millis", "10000")
                    .with("sallyport.callbacks.retry-millis", "200")
                    .with("sallyport.callbacks.attempts", "4")
                    .with("sallyport.callbacks.result-bytes", "1000")
                    .with("sallyport.connectors.address", Integer.toString(ServerSetup.freePort()))
                    .with("sallyport.connectors.protocols", "AMQP,STOMP")
                    .with("sallyport.jwt.skew-millis", "1000")
                    .with("sallyport.modules.registry", moduleRegistry().toString())
                    .with("sallyport.sandbox.debug", "true")
                    .with("sallyport.schedules.least-interval-millis", "1000")
                    .with("sallyport.schedules.most", "50")
                    .with("sallyport.tool-graph.settle-millis", "200")),

    /** Parks what waits for a second, and holds {@link #MAX_LIVE_EXECUTIONS} executions at one time. Slow tests alone use it. */
    PARKING(
            1,
            setup -> setup.with("sallyport.runner.park-after-millis", "1000")
                    .with("sallyport.runner.live", Integer.toString(ServerProfile.MAX_LIVE_EXECUTIONS)));

    /** Executions that {@link #SMALL} and {@link #PARKING} hold at one time. */
    public static final int MAX_LIVE_EXECUTIONS = 4;

    private static final String MODULE_SOURCE = "exports.shout = (text) => text.toUpperCase() + '!';";

    private final int copies;
    private final UnaryOperator<ServerSetup> settings;

    ServerProfile(int copies, UnaryOperator<ServerSetup> settings) {
        this.copies = copies;
        this.settings = settings;
    }

    /** How many servers of this kind there may be, each used by one class at a time. */
    int copies() {
        return copies;
    }

    /** A server of this kind on a fresh data directory, to be started. */
    public ServerSetup newSetup(String name) {
        return settings.apply(TestTenant.configure(ServerSetup.create(name)));
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
