package org.sallyport.store.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/** The submission of an execution: code, arguments, context, grants, limits and options. */
@Entity
@Table(name = "execution_input")
@SuppressWarnings("NullAway.Init")
class ExecutionInputEntity {
    @Id
    @Column(name = "execution_id")
    UUID executionId;

    @Column(name = "code")
    @Convert(converter = LosslessTextConverter.class)
    String code;

    @Column(name = "args")
    @Convert(converter = JsonConverter.class)
    Json args;

    @Column(name = "context")
    @Convert(converter = JsonConverter.class)
    Json context;

    @Column(name = "grants")
    @Convert(converter = JsonConverter.class)
    Json grants;

    @Column(name = "intent")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String intent;

    @Column(name = "cpu_millis")
    long cpuMillis;

    @Column(name = "heap_bytes")
    long heapBytes;

    @Column(name = "tool_calls")
    int toolCalls;

    @Column(name = "output_chars")
    int outputChars;

    @Column(name = "cost_limit")
    @Nullable Long costLimit;

    @Column(name = "debug")
    @Enumerated(EnumType.STRING)
    @Nullable DebugMode debug;

    @Column(name = "seed")
    @Nullable String seed;

    @Column(name = "effects")
    @Convert(converter = JsonConverter.class)
    @Nullable Json effects;

    @Column(name = "output_schema")
    @Convert(converter = JsonConverter.class)
    @Nullable Json outputSchema;

    @Column(name = "callback")
    @Convert(converter = LosslessTextConverter.class)
    @Nullable String callback;

    @Column(name = "trace_context")
    @Nullable String trace;

    @Column(name = "save_as")
    @Nullable String saveAs;

    @Column(name = "script")
    @Nullable String script;

    /** A string, because EclipseLink cannot read a null UUID. */
    @Column(name = "cached_from")
    @Nullable String cachedFrom;

    @Column(name = "share_reads")
    @Nullable Boolean shareReads;

    @Column(name = "further_limits")
    @Convert(converter = JsonConverter.class)
    @Nullable Json furtherLimits;

    @Column(name = "variables")
    @Nullable String variables;

    @Column(name = "sandbox")
    @Nullable String sandbox;

    protected ExecutionInputEntity() {}

    ExecutionInputEntity(NewExecution execution, String seed) {
        this.seed = seed;
        executionId = execution.id().value();
        code = execution.code();
        args = execution.args();
        context = execution.context();
        grants = JsonColumnCodec.ofList(execution.grants());
        intent = execution.intent().orElse(null);
        cpuMillis = execution.limits().cpuMillis();
        heapBytes = execution.limits().heapBytes();
        toolCalls = execution.limits().toolCalls();
        outputChars = execution.limits().outputChars();
        costLimit = execution.limits().cost().map(Cost::micros).orElse(null);
        furtherLimits = FurtherLimitsColumn.of(execution.limits().additional());
        outputSchema =
                execution.capability().flatMap(CapabilityBinding::outputSchema).orElse(null);
        sandbox = sandbox(execution);
        debug = execution.debug() == DebugMode.NONE ? null : execution.debug();
        effects = EffectModeColumn.of(execution.effects());
        callback = execution.callback().orElse(null);
        variables = execution.variables().map(PinnedVariables::ciphertext).orElse(null);
        trace = execution.trace().map(TraceContext::toStoredText).orElse(null);
        saveAs = execution.cacheOptions().saveAs().orElse(null);
        script = execution.cacheOptions().savedScriptName().orElse(null);
        shareReads = execution.cacheOptions().sharesReads() ? true : null;
        cachedFrom = execution.cacheOptions().cachedFrom().map(Object::toString).orElse(null);
    }

    /** Returns where the publisher of its capability wants the execution to run; null for nearly all. */
    static @Nullable String sandbox(NewExecution execution) {
        return execution
                .capability()
                .flatMap(CapabilityBinding::sandbox)
                .map(CapabilitySandbox::text)
                .orElse(null);
    }
}
