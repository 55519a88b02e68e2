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
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.policy.CostStore;
import org.sallyport.quota.ExecutionQuotas;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.secret.RedactionProvider;
import org.sallyport.secret.Redactor;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolName;

/**
 * What every run needs of the house.
 *
 * @param sandbox where scripts run
 * @param catalog the tools there are
 * @param authorizer judges calls
 * @param bridge carries calls
 * @param sharedReads carries those of batches that share what they read; the bridge too, where there are any
 * @param journal keeps what happens
 * @param approvals what people are asked
 * @param costStore what calls cost
 * @param quotas what tenants may take up
 * @param artifacts keeps the files of executions
 * @param callsInTree gives the tools that the others called of the tree in which an execution is nested; waits for the store
 * @param events wakes those who wait for an event
 * @param toolboxes what scripts find
 * @param metricsListener is told how runs fare
 * @param executor runs what may wait for the database or the broker
 * @param redactionProvider what must not be seen by those who look at what a tenant's executions do
 * @param scheduler counts down; does nothing slow itself
 * @param clock tells the time of trace events
 * @param limits limits that no execution can choose
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
        RedactionProvider redactionProvider,
        ScheduledExecutorService scheduler,
        InstantSource clock,
        NodeLimits limits) {

    /** Of a house without secrets, costs and quotas, in which nothing is shared, and nothing nested. */
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
                RedactionProvider.NONE,
                scheduler,
                clock,
                limits);
    }

    /**
     * Limits of the node.
     *
     * @param flushInterval how long output and trace may wait to be stored
     * @param parkAfter how long an execution must wait for its timers alone to be parked
     * @param maxParked how long it may be parked at once
     * @param callTimeout how long one tool call may take
     * @param concurrentCalls open calls of one execution
     * @param resultChars characters of a script's result
     * @param argumentChars characters of one call's arguments
     * @param timers pending timers of one execution
     * @param artifacts artifacts that one execution may write
     * @param artifactBytes bytes of one artifact
     * @param events events that one execution may emit
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
            int events) {}
}
