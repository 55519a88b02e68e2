package org.sallyport.web.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.Catalog;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.Backends;
import org.sallyport.execution.Census;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.submission.JobDispatch;
import org.sallyport.telemetry.SpanFigures;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

/** {@code /metrics}, in the text format of Prometheus, for those who run the service. Counts from the start of the node. */
@WebServlet(name = "metrics", urlPatterns = "/metrics", loadOnStartup = 1, asyncSupported = true)
public class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Set<Role> MAY = Set.of(Role.OPERATOR, Role.ADMIN, Role.AUDITOR);

    private final transient PrometheusRegistry registry = new PrometheusRegistry();
    private final transient PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private transient @Nullable QueueFigures queue;

    @Inject
    transient Runner runner;

    @Inject
    transient JobDispatch dispatch;

    @Inject
    transient LeaseKeeper lease;

    @Inject
    transient Sandbox sandbox;

    @Inject
    transient JmsToolBridge bridge;

    @Inject
    transient Backends backends;

    @Inject
    transient Census census;

    @Inject
    transient Catalog catalog;

    @Inject
    transient SpanFigures spans;

    @Override
    public void init() {
        runner.watch().tell(new RunFigures(registry, this::isBackend));
        NodeFigures.register(registry, runner, lease, sandbox, bridge, backends, dispatch);
        TraceFigures.register(registry, spans);
        queue = new QueueFigures(registry, census);
        JvmMetrics.builder().register(registry);
    }

    private boolean isBackend(String name) {
        return name.equals(HostServices.BACKEND)
                || name.equals(CapabilityTools.BACKEND)
                || catalog.all().stream().anyMatch(tool -> tool.backend().name().equals(name));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean may = request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller
                && caller.roles().stream().anyMatch(MAY::contains)
                // They count what all tenants do.
                && request.getAttribute(AuthenticationFilter.OPERATES) != null;
        if (may) {
            answer(response, HttpServletResponse.SC_OK, writer.getContentType(), figures());
        } else {
            Problem problem = Problem.of(
                    ProblemType.FORBIDDEN,
                    "this needs the role operator or admin or auditor, in the tenant that operates the installation (the server's "
                            + Settings.OPERATING_TENANT.name() + ")");
            answer(response, problem.type().status(), Problem.MEDIA_TYPE, problem.body(null));
        }
    }

    /** One at a time: two that scrape at once do not ask the database twice at once. */
    private synchronized byte[] figures() throws IOException {
        if (queue != null) {
            queue.read();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
        return out.toByteArray();
    }

    private static void answer(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
