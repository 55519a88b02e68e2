package org.sallyport.starting;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the server process: takes the port of the service, creates the root directory of Payara Micro, and
 * starts Payara Micro in this Java VM. It ends the process with exit code 5 if the platform is not supported, if the
 * port or the directory cannot be taken, or if Payara Micro has started without the application. Without this exit, a
 * server that cannot listen or has no application would continue to run unnoticed.
 *
 * <p>Arguments: {@code answer|check HOST PORT PLATFORM ROOT}, then the arguments of Payara Micro. With {@code answer},
 * every request is answered with 503 until the application calls {@link #releasePort}. With {@code check}, the port is
 * only tested, because the keys for TLS are not loaded yet. PLATFORM is the directory with the class files of Payara
 * Micro, ROOT the directory that it writes to.
 */
public final class ServerMain {
    private static final int EXIT_CANNOT_START = 5;
    private static final int OWN_ARGUMENTS = 5;
    private static final String PLATFORM_MAIN = "fish.payara.micro.impl.PayaraMicroImpl";
    /** Values of {@code os.arch} for x86-64. */
    private static final Set<String> X86_64 = Set.of("amd64", "x86_64");

    /** Jars of Payara Micro of which the application contains the version that it needs: docs/decisions/086. */
    private static final Set<String> OWN_VERSIONS = Set.of("h2.jar");

    private static @Nullable StartupResponder responder;
    private static boolean applicationStarted;

    private ServerMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        @Nullable Path jar = null;
        try {
            requireSupportedPlatform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
            if (arguments.length < OWN_ARGUMENTS) {
                throw new IllegalArgumentException("expected answer|check HOST PORT PLATFORM ROOT");
            }
            takePort(arguments[0], arguments[1], arguments[2]);
            // The real path without links, so that each jar has one URL.
            jar = Path.of(arguments[3]).resolve("launch-micro.jar").toRealPath();
            PayaraRootDirectory.recreate(Path.of(arguments[3]), Path.of(arguments[4]));
        } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
            exitWithoutService(
                    arguments, Objects.toString(e.getMessage(), e.getClass().getSimpleName()));
        }
        startPlatform(Objects.requireNonNull(jar), arguments);
        if (!hasApplicationStarted()) {
            exitWithoutService(
                    arguments,
                    "the application was not deployed. Its errors are above. If they do not name a cause that you can "
                            + "remove, start the service again");
        }
    }

    private static void exitWithoutService(String[] arguments, String reason) {
        // In the format of the server's log.
        System.err.println(Instant.now() + " SEVERE  " + ServerMain.class.getName() + ": the service cannot start ("
                + String.join(" ", Arrays.asList(arguments).subList(0, Math.min(OWN_ARGUMENTS, arguments.length)))
                + "): " + reason);
        System.exit(EXIT_CANNOT_START);
    }

    /**
     * Checks the operating system and the processor. The parser of scripts is a native library for Linux x86-64 only;
     * without this check the service fails later, when it loads that library.
     *
     * @param name the value of {@code os.name}
     * @param architecture the value of {@code os.arch}
     * @throws UnsupportedOperationException unless they are Linux and x86-64
     */
    static void requireSupportedPlatform(String name, String architecture) {
        if (!name.equals("Linux") || !X86_64.contains(architecture)) {
            throw new UnsupportedOperationException(
                    "it runs only on Linux x86-64, and this machine is " + name + " " + architecture);
        }
    }

    private static void startPlatform(Path jar, String[] arguments) throws ReflectiveOperationException {
        // The system properties that the launcher in Payara Micro's own root directory sets.
        System.setProperty("fish.payara.micro.BootJar", jar.toUri().toString());
        System.setProperty("fish.payara.micro.UnpackDir", String.valueOf(jar.getParent()));
        String[] rest = Arrays.copyOfRange(arguments, OWN_ARGUMENTS - 2, arguments.length);
        rest[0] = "--rootdir";
        try {
            ClassLoader payara = PayaraClassLoader.open(jar, OWN_VERSIONS, ServerMain.class.getClassLoader());
            Thread.currentThread().setContextClassLoader(payara);
            Class.forName(PLATFORM_MAIN, true, payara)
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) rest);
        } catch (IOException e) {
            exitWithoutService(arguments, String.valueOf(e.getMessage()));
        } catch (InvocationTargetException e) {
            Objects.requireNonNullElse(e.getCause(), e).printStackTrace();
            System.exit(1);
        }
    }

    static synchronized void takePort(String how, String host, String port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
        switch (how.toLowerCase(Locale.ROOT)) {
            case "answer" -> responder = StartupResponder.listen(address);
            case "check" -> requireFreePort(address);
            default -> throw new IllegalArgumentException("expected answer or check, not " + how);
        }
    }

    private static void requireFreePort(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        }
    }

    /** Notes that the application ended, or that its start failed. The application calls it, by its name. */
    public static synchronized void reportApplicationEnd() {
        applicationStarted = false;
    }

    private static synchronized boolean hasApplicationStarted() {
        return applicationStarted;
    }

    /** Frees the port for the server's own listener. The application calls it, by its name, when it has started. */
    public static synchronized void releasePort() {
        applicationStarted = true;
        StartupResponder present = responder;
        responder = null;
        if (present != null) {
            present.close();
        }
    }
}
