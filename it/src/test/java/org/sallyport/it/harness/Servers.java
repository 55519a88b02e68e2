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
 * Gives tests a server of the {@link Profile} that their class or parameter names with {@link Server}, as {@link SallyportServer} or
 * its {@link Api}, or a {@link Tenant} of it. Classes share the server, one at a time, and leave it as they found it: a class that
 * asks for a server waits until the class that uses it has ended. Prints the logs of the servers when a test fails.
 */
public final class Servers implements ParameterResolver, AfterTestExecutionCallback, TestExecutionExceptionHandler {
    private static final ExtensionContext.Namespace TURNS = ExtensionContext.Namespace.create(Servers.class);

    /**
     * The servers by profile. Static, and not in JUnit's store: Surefire starts JUnit once more for a rerun, and the store ends each
     * time. {@link RunningServers} closes them at the end of this JVM.
     */
    private static final Map<Profile, Shared> SHARED = Stream.of(Profile.values())
            .collect(Collectors.toMap(
                    Function.identity(), Shared::new, (a, b) -> a, () -> new EnumMap<>(Profile.class)));

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SallyportServer.class || type == Api.class || type == Tenant.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Profile profile = parameter
                .findAnnotation(Server.class)
                .map(Server::value)
                .orElseGet(() -> profileOf(context.getRequiredTestClass()));
        SallyportServer server = ofTopLevelClass(context)
                .getStore(TURNS)
                .getOrComputeIfAbsent(profile, Turn::new, Turn.class)
                .server();
        Class<?> type = parameter.getParameter().getType();
        if (type == Tenant.class) {
            return Tenant.of(server);
        }
        return type == Api.class ? server.api() : server;
    }

    /** The profile of the server that the tests of a class use unless a parameter names another. */
    static Profile profileOf(Class<?> test) {
        return AnnotationSupport.findAnnotation(test, Server.class)
                .map(Server::value)
                .orElse(Profile.PLAIN);
    }

    private static ExtensionContext ofTopLevelClass(ExtensionContext context) {
        ExtensionContext top = context;
        while (top.getParent().isPresent() && top.getParent().get() != context.getRoot()) {
            top = top.getParent().get();
        }
        return top;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            for (SallyportServer server : RunningServers.all()) {
                System.err.println("Server " + server.url() + " when " + context.getDisplayName() + " failed:\n"
                        + Testimony.whole(server));
            }
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        String said = failure instanceof TestAbortedException ? "" : Testimony.of(failure);
        if (said.isEmpty()) {
            throw failure;
        }
        throw new AssertionError(failure + said, failure);
    }

    /** The servers of one profile, those that no class uses. */
    private static final class Shared {
        /** The one that was used last comes first: another is started only if it is needed. */
        private final BlockingDeque<Copy> free = new LinkedBlockingDeque<>();

        Shared(Profile profile) {
            for (int i = 0; i < profile.copies(); i++) {
                free.addLast(new Copy(profile));
            }
        }

        Copy take() {
            try {
                return free.takeFirst();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** One server of a profile. */
    private static final class Copy {
        private final Profile profile;
        private @Nullable SallyportServer server;

        Copy(Profile profile) {
            this.profile = profile;
        }

        /** The server, started again if it has ended. A start that fails is tried anew with the next call. */
        synchronized SallyportServer running() {
            SallyportServer present = server;
            if (present == null) {
                present = profile.fresh(profile.name().toLowerCase(Locale.ROOT)).start();
                server = present;
            } else if (!present.isAlive()) {
                present.begin();
                present.awaitReady();
            }
            return present;
        }
    }

    /**
     * The time in which one test class alone uses a server; it ends with the class. A class that uses two servers takes those of
     * {@link Profile} in the order RICH, PARKING, PLAIN, SMALL: otherwise two classes could wait for each other.
     */
    private static final class Turn implements ExtensionContext.Store.CloseableResource {
        private final Shared shared;
        private final Copy copy;

        Turn(Profile profile) {
            shared = Objects.requireNonNull(SHARED.get(profile));
            copy = shared.take();
        }

        SallyportServer server() {
            return copy.running();
        }

        @Override
        public void close() {
            shared.free.addFirst(copy);
        }
    }
}
