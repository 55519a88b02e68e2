package org.sallyport.web.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.backup.BackupService;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.runner.ExecutionRunner;
import org.sallyport.runner.LeaseManager;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.telemetry.SpanExportMetrics;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.security.AuthenticationFilter;

/**
 * {@code /metrics} in the text format of Prometheus, for operators of the installation. Counters start with the node.
 */
@WebServlet(name = "metrics", urlPatterns = "/metrics", loadOnStartup = 1, asyncSupported = true)
public class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Set<Role> ALLOWED_ROLES = Set.of(Role.OPERATOR, Role.ADMIN, Role.AUDITOR);

    private final transient PrometheusRegistry registry = new PrometheusRegistry();
    private final transient PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private transient @Nullable QueueMetrics queueMetrics;

    @Inject
    transient ExecutionRunner runner;

    @Inject
    transient JobDispatcher dispatcher;

    @Inject
    transient LeaseManager leaseManager;

    @Inject
    transient Sandbox sandbox;

    @Inject
    transient JmsToolBridge bridge;

    @Inject
    transient BackendRegistry backends;

    @Inject
    transient ExecutionCounts executionCounts;

    @Inject
    transient ToolCatalog catalog;

    @Inject
    transient SpanExportMetrics spanMetrics;

    @Inject
    transient BackupService backups;

    @Inject
    transient MemoryBudgets memoryBudgets;

    @Override
    public void init() {
        runner.metricsListener().setObserver(new ExecutionMetrics(registry, this::isBackend));
        NodeMetrics.register(registry, runner, leaseManager, sandbox, bridge, backends, dispatcher, memoryBudgets);
        NodeMetrics.registerBackups(registry, backups);
        SpanMetrics.register(registry, spanMetrics);
        queueMetrics = new QueueMetrics(registry, executionCounts);
        JvmMetrics.builder().register(registry);
    }

    private boolean isBackend(String name) {
        return name.equals(HostServices.BACKEND)
                || name.equals(CapabilityToolProvider.BACKEND)
                || catalog.all().stream().anyMatch(tool -> tool.backend().name().equals(name));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (!ProblemWriter.refuseUnlessRead(request, response)) {
            super.service(request, response);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean may = request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller
                && caller.roles().stream().anyMatch(ALLOWED_ROLES::contains)
                // The metrics cover all tenants.
                && request.getAttribute(AuthenticationFilter.OPERATOR_TENANT) != null;
        if (may) {
            byte[] body = scrape();
            response.setContentType(writer.getContentType());
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        } else {
            Problem problem = Problem.of(
                    ProblemType.FORBIDDEN,
                    "this needs the role operator or admin or auditor, in the tenant that operates the installation "
                            + "(the server's "
                            + Settings.OPERATOR_TENANT.name() + ")");
            ProblemWriter.write(response, problem, null);
        }
    }

    /** Synchronized, so that concurrent scrapes do not query the database at the same time. */
    private synchronized byte[] scrape() throws IOException {
        if (queueMetrics != null) {
            queueMetrics.refresh();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
        return out.toByteArray();
    }
}
