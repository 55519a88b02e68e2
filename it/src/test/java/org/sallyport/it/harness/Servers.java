package org.sallyport.it.harness;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a server that all of a run share, as {@link SallyportServer} or its {@link Api}: for tests that leave it as
 * well as they found it. Prints what the servers said when a test fails.
 */
public final class Servers implements ParameterResolver, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Servers.class);

    private record Shared(SallyportServer server) implements CloseableResource {
        static Shared start() {
            return new Shared(ServerSetup.fresh("shared").start());
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == SallyportServer.class || type == Api.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Shared shared = context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(Shared.class, type -> Shared.start(), Shared.class);
        return parameter.getParameter().getType() == Api.class
                ? shared.server().api()
                : shared.server();
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
}
