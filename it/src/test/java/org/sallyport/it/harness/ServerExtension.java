package org.sallyport.it.harness;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests a server of the {@link ServerProfile} that their class or parameter names with {@link UseServer}, as
 * {@link SallyportServer}, its {@link RestClient}, or a {@link TestTenant} of it. Classes share the server, one at a
 * time, and must leave it unchanged: a class that requests a server waits until the class that uses it has ended.
 * Prints the logs of the servers when a test fails.
 */
public final class ServerExtension
        implements ParameterResolver, AfterTestExecutionCallback, TestExecutionExceptionHandler {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(ServerExtension.class);

    /**
     * The servers by profile. Static instead of in JUnit's store: Surefire starts JUnit again for a rerun, and the
     * store ends each time. {@link RunningServerRegistry} closes the servers at the end of this JVM.
     */
    private static final Map<ServerProfile, ServerPool> POOLS = Stream.of(ServerProfile.values())
            .collect(Collectors.toMap(
                    Function.identity(), ServerPool::new, (a, b) -> a, () -> new EnumMap<>(ServerProfile.class)));

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SallyportServer.class || type == RestClient.class || type == TestTenant.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ServerProfile profile = parameter
                .findAnnotation(UseServer.class)
                .map(UseServer::value)
                .orElseGet(() -> profileOf(context.getRequiredTestClass()));
        SallyportServer server = topLevelContext(context)
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(profile, ServerReservation::new, ServerReservation.class)
                .server();
        Class<?> type = parameter.getParameter().getType();
        if (type == TestTenant.class) {
            return TestTenant.of(server);
        }
        return type == RestClient.class ? server.api() : server;
    }

    /** The profile of the server that the tests of a class use unless a parameter names another. */
    static ServerProfile profileOf(Class<?> test) {
        return AnnotationSupport.findAnnotation(test, UseServer.class)
                .map(UseServer::value)
                .orElse(ServerProfile.PLAIN);
    }

    /** Stops the running servers of a profile that no test class uses. The next class that requests one starts it. */
    static void stopServers(ServerProfile profile) {
        Objects.requireNonNull(POOLS.get(profile)).free.forEach(PooledServer::stop);
    }

    private static ExtensionContext topLevelContext(ExtensionContext context) {
        ExtensionContext top = context;
        while (top.getParent().isPresent() && top.getParent().get() != context.getRoot()) {
            top = top.getParent().get();
        }
        return top;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            for (SallyportServer server : RunningServerRegistry.all()) {
                System.err.println("Server " + server.url() + " when " + context.getDisplayName() + " failed:\n"
                        + FailureDiagnostics.fullReport(server));
            }
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        String said = failure instanceof TestAbortedException ? "" : FailureDiagnostics.summarize(failure);
        if (said.isEmpty()) {
            throw failure;
        }
        throw new AssertionError(failure + said, failure);
    }

    /** The idle servers of one profile. */
    private static final class ServerPool {
        /** The most recently used server comes first, so that another one starts only if it is needed. */
        private final BlockingDeque<PooledServer> free = new LinkedBlockingDeque<>();

        ServerPool(ServerProfile profile) {
            for (int i = 0; i < profile.copies(); i++) {
                free.addLast(new PooledServer(profile));
            }
        }

        PooledServer acquire() {
            try {
                return free.takeFirst();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** One server of a profile. */
    private static final class PooledServer {
        private final ServerProfile profile;
        private @Nullable SallyportServer server;

        PooledServer(ServerProfile profile) {
            this.profile = profile;
        }

        /** Returns the server and restarts it if it has ended. If a start fails, the next call tries again. */
        synchronized SallyportServer ensureRunning() {
            SallyportServer present = server;
            if (present == null) {
                present = profile.newSetup(profile.name().toLowerCase(Locale.ROOT))
                        .start();
                server = present;
            } else if (!present.isAlive()) {
                present.startProcess();
                present.awaitReady();
            }
            return present;
        }

        synchronized void stop() {
            SallyportServer present = server;
            server = null;
            if (present != null) {
                present.close();
            }
        }
    }

    /**
     * Reserves a server for one test class until the class ends. A class that uses two servers reserves those of {@link
     * ServerProfile} in the order RICH, PARKING, POSTGRESQL, PLAIN, SMALL: otherwise two classes could wait for each
     * other.
     */
    private static final class ServerReservation implements ExtensionContext.Store.CloseableResource {
        private final ServerPool pool;
        private final PooledServer pooledServer;

        ServerReservation(ServerProfile profile) {
            pool = Objects.requireNonNull(POOLS.get(profile));
            pooledServer = pool.acquire();
        }

        SallyportServer server() {
            return pooledServer.ensureRunning();
        }

        @Override
        public void close() {
            pool.free.addFirst(pooledServer);
        }
    }
}
