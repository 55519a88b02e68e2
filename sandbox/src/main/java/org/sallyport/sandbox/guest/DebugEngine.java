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
import org.sallyport.sandbox.parser.PositionMap;

/**
 * The engine of one session that is debugged or profiled; no other session uses it. Closing it frees the engine and its
 * context; the samples stay available.
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

    /**
     * @param positions maps of positions from prepared sources, by name, to the author's sources
     */
    static DebugEngine open(SandboxDebugMode debug, Map<String, PositionMap> positions) {
        if (debug == SandboxDebugMode.PROFILE) {
            GuestEngine engine = GuestEngine.withInstruments(Map.of());
            return new DebugEngine(engine, null, CpuSampler.start(engine.engine(), positions));
        }
        // The secret path prevents other users of the machine from attaching, although they can see the port.
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
        throw new IllegalStateException("no free port for a debugger");
    }

    private static boolean isPortFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** Creates a context. In {@link SandboxDebugMode#INSPECT_BREAK}, returns only after a debugger has attached. */
    PrewarmedContext newContext() {
        return PrewarmedContext.of(engine);
    }

    /** Returns the URL at which a debugger can attach; empty when the session is only profiled. */
    Optional<String> debuggerUrl() {
        return Optional.ofNullable(url);
    }

    /** Returns whether the script exhausted the stack of its thread, which may have broken classes of the process. */
    boolean hasStackOverflowed() {
        return engine.hasStackOverflowed();
    }

    /** Returns the profile; empty when the session is not profiled. */
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
