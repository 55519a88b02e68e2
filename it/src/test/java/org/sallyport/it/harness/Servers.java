package org.sallyport.it.harness;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests a server, as {@link SallyportServer} or its {@link Api}: one that all of a run share, for tests that leave it
 * as well as they found it, or the {@link Expendable} one. Tells what the servers said when a test fails.
 */
public final class Servers implements ParameterResolver, AfterTestExecutionCallback, TestExecutionExceptionHandler {
    /** Executions that the expendable server holds at one time. */
    public static final int EXPENDABLE_PLACES = 4;

    private static final String SHARED = "shared";
    private static final String EXPENDABLE = "expendable";

    /**
     * The servers by name. Static, and not in JUnit's store: with several test processes Surefire starts JUnit once for each class,
     * and once more for a rerun, and the store ends each time. {@link RunningServers} closes them at the end of this JVM.
     */
    private static final Map<String, SallyportServer> STARTED = new HashMap<>();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SallyportServer.class || type == Api.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        String name = parameter.isAnnotated(Expendable.class) ? EXPENDABLE : SHARED;
        SallyportServer server = running(name);
        return parameter.getParameter().getType() == Api.class ? server.api() : server;
    }

    /** The server of that name, started again if it has ended. A start that fails is tried anew with the next call. */
    private static synchronized SallyportServer running(String name) {
        SallyportServer server = STARTED.get(name);
        if (server == null) {
            server = start(name);
            STARTED.put(name, server);
        } else if (!server.isAlive()) {
            server.begin();
            server.awaitReady();
        }
        return server;
    }

    private static SallyportServer start(String name) {
        ServerSetup setup = OtherTenant.knownTo(ServerSetup.fresh(name));
        return name.equals(EXPENDABLE)
                ? setup.with("sallyport.runner.live", Integer.toString(EXPENDABLE_PLACES))
                        .start()
                : setup.start();
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
