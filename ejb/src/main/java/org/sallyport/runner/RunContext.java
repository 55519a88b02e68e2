package org.sallyport.runner;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.sallyport.approval.ApprovalStore;
import org.sallyport.artifact.ArtifactStore;
import org.sallyport.bridge.CallGate;
import org.sallyport.bridge.SharedReads;
import org.sallyport.catalog.Catalog;
import org.sallyport.event.EventBus;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.policy.SpendingStore;
import org.sallyport.quota.RunQuotas;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.secret.Hidden;
import org.sallyport.secret.Redaction;
import org.sallyport.tool.ToolBridge;
import org.sallyport.tool.ToolName;

/**
 * What every run needs of the house.
 *
 * @param sandbox where scripts run
 * @param catalog the tools there are
 * @param gate judges calls
 * @param bridge carries calls
 * @param shared carries those of batches that share what they read; the bridge too, where there are any
 * @param journal keeps what happens
 * @param approvals what people are asked
 * @param spending what calls cost
 * @param quotas what tenants may take up
 * @param artifacts keeps the files of executions
 * @param calledAround gives the tools that the others called of the tree in which an execution is nested; waits for the store
 * @param events wakes those who wait for an event
 * @param toolboxes what scripts find
 * @param watch is told how runs fare
 * @param executor runs what may wait for the database or the broker
 * @param hidden what must not be seen by those who look at what a tenant's executions do
 * @param scheduler counts down; does nothing slow itself
 * @param clock tells the time of trace events
 * @param limits limits that no execution can choose
 */
public record RunContext(
        Sandbox sandbox,
        Catalog catalog,
        CallGate gate,
        ToolBridge bridge,
        SharedReads shared,
        Journal journal,
        ApprovalStore approvals,
        SpendingStore spending,
        RunQuotas quotas,
        ArtifactStore artifacts,
        Function<ExecutionId, List<ToolName>> calledAround,
        EventBus events,
        Toolboxes toolboxes,
        RunWatch watch,
        Executor executor,
        Hidden hidden,
        ScheduledExecutorService scheduler,
        InstantSource clock,
        NodeLimits limits) {

    /** Of a house without secrets, costs and quotas, in which nothing is shared, and nothing nested. */
    public RunContext(
            Sandbox sandbox,
            Catalog catalog,
            CallGate gate,
            ToolBridge bridge,
            Journal journal,
            ApprovalStore approvals,
            ArtifactStore artifacts,
            EventBus events,
            Toolboxes toolboxes,
            RunWatch watch,
            Executor executor,
            ScheduledExecutorService scheduler,
            InstantSource clock,
            NodeLimits limits) {
        this(
                sandbox,
                catalog,
                gate,
                bridge,
                new SharedReads(bridge, executor, clock, tenant -> Redaction.NOTHING, 0, Duration.ZERO),
                journal,
                approvals,
                SpendingStore.UNCOUNTED,
                RunQuotas.unlimited(),
                artifacts,
                member -> List.of(),
                events,
                toolboxes,
                watch,
                executor,
                Hidden.NOTHING,
                scheduler,
                clock,
                limits);
    }

    /**
     * Limits of the node.
     *
     * @param flush how long output and trace may wait to be stored
     * @param park how long an execution must wait for its timers alone to be parked
     * @param parked how long it may be parked at once
     * @param call how long one tool call may take
     * @param concurrentCalls open calls of one execution
     * @param resultChars characters of a script's result
     * @param argumentChars characters of one call's arguments
     * @param timers pending timers of one execution
     * @param artifacts artifacts that one execution may write
     * @param artifactBytes bytes of one artifact
     * @param events events that one execution may emit
     */
    public record NodeLimits(
            Duration flush,
            Duration park,
            Duration parked,
            Duration call,
            int concurrentCalls,
            int resultChars,
            int argumentChars,
            int timers,
            int artifacts,
            int artifactBytes,
            int events) {}
}
