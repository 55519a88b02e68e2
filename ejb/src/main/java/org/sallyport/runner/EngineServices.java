package org.sallyport.runner;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.bridge.SharedReadToolBridge;
import org.sallyport.bridge.ToolCallAuthorizer;
import org.sallyport.capability.UsedToolStore;
import org.sallyport.catalog.CapabilityToolTracker;
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.event.EventBus;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.memory.MemoryBudgets;
import org.sallyport.policy.CostStore;
import org.sallyport.quota.ExecutionQuotas;
import org.sallyport.redaction.RedactionProvider;
import org.sallyport.redaction.Redactor;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolName;
import org.sallyport.variable.VariablePinner;

/**
 * The services and limits that every run needs.
 *
 * @param sandbox runs scripts
 * @param catalog the available tools
 * @param authorizer authorizes calls
 * @param bridge sends calls to their backends
 * @param sharedReads sends calls of batches that share their reads; uses the bridge
 * @param journal stores the journal
 * @param approvals stores approvals
 * @param costStore stores the cost of calls
 * @param quotas quotas of tenants
 * @param artifacts stores the artifacts of executions
 * @param callsInTree returns the tools called by the other executions in the nesting tree of an execution; waits for
 *     the store
 * @param events resumes scripts that wait for an event
 * @param toolboxes the toolboxes of scripts
 * @param metricsListener receives the metrics of runs
 * @param executor runs work that belongs to no execution, and may wait for the database
 * @param tenantExecutors run the work of executions, which may wait for the database
 * @param redactionProvider returns the redactor for the values that viewers of a tenant's executions must not see
 * @param variables decrypts the variables of executions
 * @param scheduler runs timers; must not run slow work itself
 * @param clock gives the time of trace events
 * @param limits limits that no execution can change
 * @param usedTools tracks the tools that capabilities use
 * @param sandboxes decides which capabilities run in the process of the server
 * @param memory the memory that work in progress reserves
 */
public record EngineServices(
        Sandbox sandbox,
        ToolCatalog catalog,
        ToolCallAuthorizer authorizer,
        ToolBridge bridge,
        SharedReadToolBridge sharedReads,
        Journal journal,
        ApprovalStore approvals,
        CostStore costStore,
        ExecutionQuotas quotas,
        ArtifactStore artifacts,
        Function<ExecutionId, List<ToolName>> callsInTree,
        EventBus events,
        ToolboxCache toolboxes,
        RunMetricsListener metricsListener,
        Executor executor,
        TenantExecutors tenantExecutors,
        RedactionProvider redactionProvider,
        VariablePinner variables,
        ScheduledExecutorService scheduler,
        InstantSource clock,
        NodeLimits limits,
        CapabilityToolTracker usedTools,
        CapabilitySandboxPolicy sandboxes,
        MemoryBudgets memory) {

    /**
     * Creates services without secrets, variables, costs, quotas and tracking of used tools, in which no reads are
     * shared, no executions are nested, and all scripts run in workers.
     */
    public EngineServices(
            Sandbox sandbox,
            ToolCatalog catalog,
            ToolCallAuthorizer authorizer,
            ToolBridge bridge,
            Journal journal,
            ApprovalStore approvals,
            ArtifactStore artifacts,
            EventBus events,
            ToolboxCache toolboxes,
            RunMetricsListener metricsListener,
            Executor executor,
            ScheduledExecutorService scheduler,
            InstantSource clock,
            NodeLimits limits) {
        this(
                sandbox,
                catalog,
                authorizer,
                bridge,
                new SharedReadToolBridge(bridge, executor, clock, tenant -> Redactor.NONE, 0, Duration.ZERO),
                journal,
                approvals,
                CostStore.NO_OP,
                ExecutionQuotas.unlimited(),
                artifacts,
                member -> List.of(),
                events,
                toolboxes,
                metricsListener,
                executor,
                new TenantExecutors(executor),
                RedactionProvider.NONE,
                VariablePinner.NONE,
                scheduler,
                clock,
                limits,
                new CapabilityToolTracker(UsedToolStore.NO_OP, clock),
                CapabilitySandboxPolicy.WORKERS_ONLY,
                new MemoryBudgets(0, 0));
    }

    /**
     * Limits of the node.
     *
     * @param flushInterval maximum delay before output and trace are stored
     * @param parkAfter minimum wait for timers alone for which an execution is parked
     * @param maxParked maximum time that an execution may be parked at once
     * @param callTimeout timeout of one tool call
     * @param concurrentCalls maximum open calls of one execution
     * @param resultChars maximum characters of a script's result
     * @param argumentChars maximum characters of one call's arguments
     * @param timers maximum pending timers of one execution
     * @param artifacts maximum artifacts that one execution may write
     * @param artifactBytes maximum bytes of one artifact
     * @param events maximum events that one execution may emit
     * @param journalBytes maximum bytes of the journal of one execution
     */
    public record NodeLimits(
            Duration flushInterval,
            Duration parkAfter,
            Duration maxParked,
            Duration callTimeout,
            int concurrentCalls,
            int resultChars,
            int argumentChars,
            int timers,
            int artifacts,
            int artifactBytes,
            int events,
            int journalBytes) {}
}
