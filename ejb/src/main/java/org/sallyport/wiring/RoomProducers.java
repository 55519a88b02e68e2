package org.sallyport.wiring;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.KeyUses;
import org.sallyport.access.Keys;
import org.sallyport.access.Sessions;
import org.sallyport.access.Standing;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.audit.AuditLog;
import org.sallyport.batch.BatchStore;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.JmsToolBridge;
import org.sallyport.callback.CallbackStore;
import org.sallyport.callback.Signatures;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.Contracts;
import org.sallyport.certificate.Certificates;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.connector.Backends;
import org.sallyport.connector.ConnectorHost;
import org.sallyport.event.EventBus;
import org.sallyport.execution.Census;
import org.sallyport.execution.DeadLetterStore;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.execution.Waiting;
import org.sallyport.journal.Journal;
import org.sallyport.messaging.MessageSender;
import org.sallyport.node.NodeStore;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.SpendingStore;
import org.sallyport.quota.QuotaStore;
import org.sallyport.quota.Quotas;
import org.sallyport.quota.TenantStore;
import org.sallyport.rules.PolicyBook;
import org.sallyport.runner.ApprovalDesk;
import org.sallyport.runner.ApprovalLinks;
import org.sallyport.runner.Canceller;
import org.sallyport.runner.DeadLetters;
import org.sallyport.runner.LeaseKeeper;
import org.sallyport.runner.Runner;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.schedule.ScheduleStore;
import org.sallyport.script.ScriptStore;
import org.sallyport.secret.Hidden;
import org.sallyport.secret.Vault;
import org.sallyport.submission.Batches;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.submission.JobDispatch;
import org.sallyport.submission.Plans;
import org.sallyport.submission.Reception;
import org.sallyport.submission.Replays;
import org.sallyport.submission.Reruns;
import org.sallyport.submission.Schedules;
import org.sallyport.submission.ScriptRuns;
import org.sallyport.submission.TestRuns;
import org.sallyport.telemetry.SpanFigures;
import org.sallyport.token.Logins;
import org.sallyport.token.Tokens;
import org.sallyport.toolgraph.ToolGraphs;

/**
 * Gives listeners and resources the rooms by injection, which makes them wait until all stand. Not the {@link House} itself:
 * while it is taken down the container lets nobody call it, and listeners are made then too, to hear the last answers of tools.
 */
@ApplicationScoped
public class RoomProducers {
    private final CompletableFuture<Rooms> rooms = new CompletableFuture<>();

    private volatile Runnable last = () -> {};

    /** @param end closes what listeners need to the last: what they are sent while they go, they hand back */
    void stand(Rooms all, Runnable end) {
        last = end;
        rooms.complete(all);
    }

    /** Listeners are gone by now. */
    @PreDestroy
    void end() {
        last.run();
    }

    void never(RuntimeException why) {
        rooms.completeExceptionally(why);
    }

    /** When all is taken down: listeners that hold on to what nobody takes any more are to return. */
    void letGo() {
        standing().runner().letGo();
    }

    private Rooms standing() {
        return rooms.join();
    }

    @Produces
    public Configuration configuration() {
        return standing().configuration();
    }

    @Produces
    public Keys keys() {
        return standing().keys();
    }

    @Produces
    public Tokens tokens() {
        return standing().tokens();
    }

    @Produces
    public KeyUses keyUses() {
        return standing().keyUses();
    }

    @Produces
    public Certificates certificates() {
        return standing().certificates();
    }

    @Produces
    public BlockedSubjects blocked() {
        return standing().blocked();
    }

    @Produces
    public Standing callersStanding() {
        return standing().standing();
    }

    @Produces
    public Sessions sessions() {
        return standing().sessions();
    }

    @Produces
    public Logins logins() {
        return standing().logins();
    }

    @Produces
    public Catalog catalog() {
        return standing().catalog();
    }

    @Produces
    public CallGate gate() {
        return standing().gate();
    }

    @Produces
    public ExecutionStore store() {
        return standing().store();
    }

    @Produces
    public NestedRunStore nestedRuns() {
        return standing().nestedStore();
    }

    @Produces
    public Journal journal() {
        return standing().journal();
    }

    @Produces
    public ApprovalStore approvals() {
        return standing().approvals();
    }

    @Produces
    public ApprovalDesk desk() {
        return standing().desk();
    }

    @Produces
    public ApprovalLinks approvalLinks() {
        return standing().approvalLinks();
    }

    @Produces
    public PolicyStore policyStore() {
        return standing().policyStore();
    }

    @Produces
    public PolicyBook policies() {
        return standing().policies();
    }

    @Produces
    public SpendingStore spending() {
        return standing().spending();
    }

    @Produces
    public QuotaStore quotaStore() {
        return standing().quotaStore();
    }

    @Produces
    public Quotas quotas() {
        return standing().quotas();
    }

    @Produces
    public TenantStore tenants() {
        return standing().tenants();
    }

    @Produces
    public ArtifactStore artifacts() {
        return standing().artifacts();
    }

    @Produces
    public EventBus events() {
        return standing().events();
    }

    @Produces
    public Waiting waiting() {
        return standing().waiting();
    }

    @Produces
    public Sandbox sandbox() {
        return standing().sandbox();
    }

    @Produces
    public MessageSender sender() {
        return standing().sender();
    }

    @Produces
    public JmsToolBridge bridge() {
        return standing().bridge();
    }

    @Produces
    public ConnectorHost connectorHost() {
        return standing().connectors();
    }

    @Produces
    public Backends backends() {
        return standing().backends();
    }

    @Produces
    public Vault vault() {
        return standing().vault();
    }

    @Produces
    public Hidden hidden() {
        return standing().hidden();
    }

    @Produces
    public Runner runner() {
        return standing().runner();
    }

    @Produces
    public JobDispatch dispatch() {
        return standing().dispatch();
    }

    @Produces
    public LeaseKeeper lease() {
        return standing().lease();
    }

    @Produces
    public DeadLetters deadLetters() {
        return standing().deadLetters();
    }

    @Produces
    public DeadLetterStore letters() {
        return standing().letters();
    }

    @Produces
    public Replays replays() {
        return new Replays(standing().letters(), standing().journal(), reruns());
    }

    @Produces
    public Canceller canceller() {
        return standing().canceller();
    }

    @Produces
    public Reception reception() {
        return standing().reception();
    }

    @Produces
    public TestRuns testRuns() {
        return new TestRuns(standing().reception());
    }

    @Produces
    public BatchStore batchStore() {
        return standing().batchStore();
    }

    @Produces
    public Census census() {
        return standing().census();
    }

    @Produces
    public NodeStore nodes() {
        return standing().nodes();
    }

    @Produces
    public AuditLog audit() {
        return standing().audit();
    }

    @Produces
    public Batches batches() {
        return standing().batches();
    }

    @Produces
    public Plans plans() {
        return new Plans(
                standing().store(),
                standing().journal(),
                reruns(),
                standing().reception(),
                standing().configuration().get(Settings.APPROVE_OWN));
    }

    @Produces
    public CapabilityStore capabilities() {
        return standing().capabilities();
    }

    @Produces
    public SchemaCheck schemas() {
        return standing().schemas();
    }

    @Produces
    public ScheduleStore scheduleStore() {
        return standing().scheduleStore();
    }

    @Produces
    public Schedules schedules() {
        return standing().schedules();
    }

    @Produces
    public CallbackStore callbackStore() {
        return standing().callbackStore();
    }

    @Produces
    public Signatures signatures() {
        return standing().signatures();
    }

    @Produces
    public SpanFigures spans() {
        return standing().spans();
    }

    @Produces
    public ToolGraphs toolGraphs() {
        return standing().toolGraphs();
    }

    @Produces
    public CapabilityRuns capabilityRuns() {
        return new CapabilityRuns(
                standing().capabilities(), standing().schemas(), standing().reception());
    }

    @Produces
    public Contracts contracts() {
        Rooms rooms = standing();
        return new Contracts(
                rooms.capabilities(),
                rooms.journal(),
                rooms.schemas(),
                new DeclaredTools(rooms),
                InstantSource.system());
    }

    @Produces
    public ScriptStore scripts() {
        return standing().scripts();
    }

    @Produces
    public ScriptRuns scriptRuns() {
        return standing().scriptRuns();
    }

    @Produces
    public Reruns reruns() {
        return new Reruns(
                standing().configuration(), standing().store(), standing().reception());
    }
}
