package org.sallyport.sandbox.guest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.SandboxDebugMode;
import org.sallyport.sandbox.source.PositionMap;

/**
 * An engine of its own for one session that is looked into. Closing it frees it and its context; what was sampled stays
 * until it is asked for.
 */
final class DebugEngine implements AutoCloseable {
    private static final int FIRST_PORT = 9229;
    private static final int PORT_COUNT = 200;
    private static final int PATH_BYTES = 16;

    private final GuestEngine engine;
    private final @Nullable String url;
    private final @Nullable CpuSampler sampler;

    private DebugEngine(GuestEngine engine, @Nullable String url, @Nullable CpuSampler sampler) {
        this.engine = engine;
        this.url = url;
        this.sampler = sampler;
    }

    /** @param positions the way from prepared sources, by name, to the author's own */
    static DebugEngine open(SandboxDebugMode debug, Map<String, PositionMap> positions) {
        if (debug == SandboxDebugMode.PROFILE) {
            GuestEngine engine = GuestEngine.withInstruments(Map.of());
            return new DebugEngine(engine, null, CpuSampler.start(engine.engine(), positions));
        }
        // Whoever does not know the path cannot attach, though other users of the machine see the port.
        byte[] random = new byte[PATH_BYTES];
        new SecureRandom().nextBytes(random);
        String path = HexFormat.of().formatHex(random);
        String host = InetAddress.getLoopbackAddress().getHostAddress();
        for (int port = FIRST_PORT; port < FIRST_PORT + PORT_COUNT; port++) {
            String address = host + ":" + port;
            if (isPortFree(port)) {
                return new DebugEngine(
                        GuestEngine.withInstruments(Map.of(
                                "inspect", address,
                                "inspect.Path", path,
                                "inspect.Suspend", Boolean.toString(debug == SandboxDebugMode.INSPECT_BREAK))),
                        "ws://" + address + "/" + path,
                        null);
            }
        }
        throw new IllegalStateException("no port for a debugger is free");
    }

    private static boolean isPortFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** A new context; does not return before a debugger has attached when one is to be waited for. */
    PrewarmedContext newContext() {
        return PrewarmedContext.of(engine);
    }

    /** Where a debugger can attach. */
    Optional<String> debuggerUrl() {
        return Optional.ofNullable(url);
    }

    /** What was sampled, when anything was. */
    Optional<String> profile() {
        return Optional.ofNullable(sampler).map(CpuSampler::profileJson);
    }

    @Override
    public void close() {
        if (sampler != null) {
            sampler.close();
        }
        engine.close();
    }
}
