package org.sallyport.it.harness;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests a server of the {@link Profile} that their class or parameter names with {@link Server}, as {@link SallyportServer} or
 * its {@link Api}, or a {@link Tenant} of it. Classes share the server and leave it as well as they found it. Tells what the
 * servers said when a test fails.
 */
public final class Servers implements ParameterResolver, AfterTestExecutionCallback, TestExecutionExceptionHandler {
    /**
     * The servers. Static, and not in JUnit's store: with several test processes Surefire starts JUnit once for each class,
     * and once more for a rerun, and the store ends each time. {@link RunningServers} closes them at the end of this JVM.
     */
    private static final Map<Profile, SallyportServer> STARTED = new EnumMap<>(Profile.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SallyportServer.class || type == Api.class || type == Tenant.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        SallyportServer server = running(parameter
                .findAnnotation(Server.class)
                .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), Server.class))
                .map(Server::value)
                .orElse(Profile.PLAIN));
        Class<?> type = parameter.getParameter().getType();
        if (type == Tenant.class) {
            return Tenant.of(server);
        }
        return type == Api.class ? server.api() : server;
    }

    /** The server of that profile, started again if it has ended. A start that fails is tried anew with the next call. */
    private static synchronized SallyportServer running(Profile profile) {
        SallyportServer server = STARTED.get(profile);
        if (server == null) {
            server = profile.fresh(profile.name().toLowerCase(Locale.ROOT)).start();
            STARTED.put(profile, server);
        } else if (!server.isAlive()) {
            server.begin();
            server.awaitReady();
        }
        return server;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            for (SallyportServer server : RunningServers.all()) {
                System.err.println("Server " + server.url() + " when " + context.getDisplayName() + " failed:\n"
                        + server.logTail());
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
}
