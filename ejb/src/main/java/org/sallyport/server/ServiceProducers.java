package org.sallyport.server;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.audit.AuditLog;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.CallerRevalidator;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.auth.KeyUseTracker;
import org.sallyport.backup.BackupService;
import org.sallyport.batch.BatchStore;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.bridge.ToolReplyReceiver;
import org.sallyport.callback.CallbackSigner;
import org.sallyport.callback.CallbackStore;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.catalog.CapabilityContractChecker;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.BackendRegistry;
import org.sallyport.connector.ConnectorDispatcher;
import org.sallyport.event.EventBus;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.identity.mtls.ClientCertificateMapper;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.identity.token.OidcLoginService;
import org.sallyport.journal.Journal;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.messaging.MessageSender;
import org.sallyport.node.NodeStore;
import org.sallyport.policy.CostStore;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policyengine.PolicyCache;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.StoredBytesCounter;
import org.sallyport.quota.TenantStore;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.runner.ApprovalLinkService;
import org.sallyport.runner.ApprovalService;
import org.sallyport.runner.CancellationService;
import org.sallyport.runner.DeadLetterHandler;
import org.sallyport.runner.ExecutionRunner;
import org.sallyport.runner.LeaseManager;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.schedule.ScheduleBatchStore;
import org.sallyport.schedule.ScheduleRowsStore;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.script.ScriptStore;
import org.sallyport.secrets.SecretVault;
import org.sallyport.submission.BatchService;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.DeadLetterReplay;
import org.sallyport.submission.JobDispatcher;
import org.sallyport.submission.PlanService;
import org.sallyport.submission.RerunService;
import org.sallyport.submission.SavedScriptRunService;
import org.sallyport.submission.ScheduleService;
import org.sallyport.submission.ScheduledBatchService;
import org.sallyport.submission.SubmissionService;
import org.sallyport.submission.TestRunService;
import org.sallyport.telemetry.SpanExportMetrics;
import org.sallyport.toolgraph.ToolGraphService;
import org.sallyport.variable.VariablePinner;
import org.sallyport.variable.VariableStore;
import org.sallyport.webhook.InboundWebhookStore;

/**
 * Injects the services into listeners and resources, which wait until all services are created. Separate from
 * {@link ServerLifecycle}: while that bean is destroyed the container rejects all calls to it, but listeners are still
 * created then, to receive the last replies of tools.
 */
@ApplicationScoped
public class ServiceProducers {
    private final CompletableFuture<Services> services = new CompletableFuture<>();

    private volatile Runnable closeLast = () -> {};

    /**
     * @param end closes the services that listeners need until the end; messages that arrive during shutdown are
     *     returned to the broker
     */
    void complete(Services all, Runnable end) {
        closeLast = end;
        services.complete(all);
    }

    /** All listeners are stopped by now. */
    @PreDestroy
    void closeLast() {
        closeLast.run();
    }

    void fail(RuntimeException why) {
        services.completeExceptionally(why);
    }

    /** Called during shutdown: listeners that hold messages for which there is no consumer any more must return. */
    void releaseListeners() {
        services().runner().releaseListeners();
    }

    private Services services() {
        return services.join();
    }

    @Produces
    public Configuration configuration() {
        return services().configuration();
    }

    @Produces
    public ApiKeyService keys() {
        return services().keys();
    }

    @Produces
    public JwtAuthenticator tokens() {
        return services().tokens();
    }

    @Produces
    public KeyUseTracker keyUses() {
        return services().keyUses();
    }

    @Produces
    public ClientCertificateMapper certificates() {
        return services().certificates();
    }

    @Produces
    public BlockedSubjectCache blockedSubjects() {
        return services().blockedSubjects();
    }

    @Produces
    public CallerRevalidator callerRevalidator() {
        return services().callerRevalidator();
    }

    @Produces
    public ConsoleSessions sessions() {
        return services().sessions();
    }

    @Produces
    public OidcLoginService logins() {
        return services().logins();
    }

    @Produces
    public ToolCatalog catalog() {
        return services().catalog();
    }

    @Produces
    public ToolCallAuthorizer authorizer() {
        return services().authorizer();
    }

    @Produces
    public ExecutionStore store() {
        return services().store();
    }

    @Produces
    public NestedExecutionStore nestedRuns() {
        return services().nestedStore();
    }

    @Produces
    public Journal journal() {
        return services().journal();
    }

    @Produces
    public ApprovalStore approvals() {
        return services().approvals();
    }

    @Produces
    public ApprovalService approvalService() {
        return services().approvalService();
    }

    @Produces
    public ApprovalLinkService approvalLinks() {
        return services().approvalLinks();
    }

    @Produces
    public PolicyStore policyStore() {
        return services().policyStore();
    }

    @Produces
    public PolicyCache policies() {
        return services().policies();
    }

    @Produces
    public CostStore costStore() {
        return services().costStore();
    }

    @Produces
    public QuotaStore quotaStore() {
        return services().quotaStore();
    }

    @Produces
    public StoredBytesCounter storedBytes() {
        return services().storedBytes();
    }

    @Produces
    public QuotaLimits quotas() {
        return services().quotas();
    }

    @Produces
    public TenantStore tenants() {
        return services().tenants();
    }

    @Produces
    public ArtifactStore artifacts() {
        return services().artifacts();
    }

    @Produces
    public EventBus events() {
        return services().events();
    }

    @Produces
    public InboundWebhookStore inboundWebhooks() {
        return services().inboundWebhooks();
    }

    @Produces
    public CompletionWaiter completionWaiter() {
        return services().completionWaiter();
    }

    @Produces
    public Sandbox sandbox() {
        return services().sandbox();
    }

    @Produces
    public MessageSender sender() {
        return services().sender();
    }

    @Produces
    public JmsToolBridge bridge() {
        return services().bridge();
    }

    @Produces
    public ToolReplyReceiver replyReceiver() {
        return services().replyReceiver();
    }

    @Produces
    public ConnectorDispatcher connectorHost() {
        return services().connectorDispatcher();
    }

    @Produces
    public BackendRegistry backends() {
        return services().backends();
    }

    @Produces
    public SecretVault vault() {
        return services().vault();
    }

    @Produces
    public RedactionProvider redactionProvider() {
        return services().redactionProvider();
    }

    @Produces
    public ExecutionRunner runner() {
        return services().runner();
    }

    @Produces
    public JobDispatcher dispatch() {
        return services().dispatch();
    }

    @Produces
    public LeaseManager lease() {
        return services().lease();
    }

    @Produces
    public DeadLetterHandler deadLetters() {
        return services().deadLetters();
    }

    @Produces
    public DeadLetterStore deadLetterStore() {
        return services().deadLetterStore();
    }

    @Produces
    public DeadLetterReplay replays() {
        return new DeadLetterReplay(services().deadLetterStore(), services().journal(), reruns());
    }

    @Produces
    public CancellationService canceller() {
        return services().canceller();
    }

    @Produces
    public SubmissionService submissionService() {
        return services().submissionService();
    }

    @Produces
    public TestRunService testRuns() {
        return new TestRunService(services().submissionService());
    }

    @Produces
    public BatchStore batchStore() {
        return services().batchStore();
    }

    @Produces
    public ExecutionCounts executionCounts() {
        return services().executionCounts();
    }

    @Produces
    public NodeStore nodes() {
        return services().nodes();
    }

    @Produces
    public AuditLog audit() {
        return services().audit();
    }

    @Produces
    public BatchService batches() {
        return services().batches();
    }

    @Produces
    public PlanService plans() {
        return new PlanService(
                services().store(),
                services().journal(),
                reruns(),
                services().submissionService(),
                services().configuration().get(Settings.ALLOW_SELF_APPROVAL));
    }

    @Produces
    public CapabilityStore capabilities() {
        return services().capabilities();
    }

    @Produces
    public JsonSchemaValidator schemas() {
        return services().schemas();
    }

    @Produces
    public ScheduleStore scheduleStore() {
        return services().scheduleStore();
    }

    @Produces
    public ScheduleRowsStore scheduleRowsStore() {
        return services().scheduleRowsStore();
    }

    @Produces
    public ScheduleBatchStore scheduleBatchStore() {
        return services().scheduleBatchStore();
    }

    @Produces
    public ScheduledBatchService scheduledBatches() {
        return services().scheduledBatches();
    }

    @Produces
    public ScheduleService schedules() {
        return services().schedules();
    }

    @Produces
    public CallbackStore callbackStore() {
        return services().callbackStore();
    }

    @Produces
    public CallbackSigner callbackSigner() {
        return services().callbackSigner();
    }

    @Produces
    public VariableStore variableStore() {
        return services().variableStore();
    }

    @Produces
    public VariablePinner variables() {
        return services().variables();
    }

    @Produces
    public SpanExportMetrics spanMetrics() {
        return services().spanMetrics();
    }

    @Produces
    public ToolGraphService toolGraphs() {
        return services().toolGraphs();
    }

    @Produces
    public CapabilityRunService capabilityRuns() {
        return services().capabilityRuns();
    }

    @Produces
    public CapabilitySandboxPolicy capabilitySandboxes() {
        return services().capabilitySandboxes();
    }

    @Produces
    public RequiredToolCheck requiredTools() {
        return services().requiredTools();
    }

    @Produces
    public UsedToolStore usedTools() {
        return services().usedTools();
    }

    @Produces
    public CapabilityContractChecker contracts() {
        Services services = services();
        return new CapabilityContractChecker(
                services.capabilities(),
                services.journal(),
                services.schemas(),
                new DeclaredToolLookup(
                        services.backends()::tools,
                        services.catalog(),
                        services.backendStore(),
                        new CapabilityToolProvider(new CapabilityResolver(services.capabilities()))::find),
                InstantSource.system());
    }

    @Produces
    public ScriptStore scripts() {
        return services().scripts();
    }

    @Produces
    public SavedScriptRunService scriptRuns() {
        return services().scriptRuns();
    }

    @Produces
    public BackupService backups() {
        return services().backups();
    }

    @Produces
    public MemoryBudgets memoryBudgets() {
        return services().memoryBudgets();
    }

    @Produces
    public RerunService reruns() {
        return new RerunService(
                services().configuration(), services().store(), services().submissionService());
    }
}
