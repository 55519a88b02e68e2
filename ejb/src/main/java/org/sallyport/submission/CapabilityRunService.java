package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.sallyport.auth.Caller;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityGrants;
import org.sallyport.capability.CapabilityResolver;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.execution.CapabilityBinding;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;

/** Accepts runs of published capabilities: makes a submission of the requested version. Thread-safe. */
public final class CapabilityRunService {
    private static final List<String> ALL_TOOLS = List.of("*");

    private final CapabilityResolver capabilityResolver;
    private final JsonSchemaValidator schemas;
    private final SubmissionService reception;
    private final VariablePinner variables;
    private final RequiredToolCheck requiredTools;

    public CapabilityRunService(
            CapabilityStore store,
            JsonSchemaValidator schemas,
            SubmissionService reception,
            VariablePinner variables,
            RequiredToolCheck requiredTools) {
        this.requiredTools = requiredTools;
        this.variables = variables;
        this.capabilityResolver = new CapabilityResolver(store);
        this.schemas = schemas;
        this.reception = reception;
    }

    /**
     * Behaves like {@link SubmissionService#submit}; also returns {@link SubmissionResult.CapabilityVersionNotFound},
     * {@link SubmissionResult.IntegrityMismatch}, {@link SubmissionResult.InvalidCapabilityArguments},
     * {@link SubmissionResult.ToolsMissing} and {@link SubmissionResult.VariablesNotSet}. The run may call only tools that the capability needs and the caller
     * grants.
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, RunCapabilityRequest call) {
        return resolve(
                caller, call, CompletableFuture::completedFuture, submission -> reception.submit(caller, submission));
    }

    /**
     * Applies {@code then} to the submission made of {@code call}, or {@code refused} to the reason why there is none.
     */
    <T> T resolve(
            Caller caller,
            RunCapabilityRequest call,
            Function<SubmissionResult, T> refused,
            Function<Submission, T> then) {
        return resolve(
                call,
                find(caller.tenant(), call.name(), call.version().orElse(CapabilityVersionSummary.STABLE)),
                capability -> prepare(caller.tenant(), capability),
                refused,
                then);
    }

    /**
     * Does the same with a capability that was already looked up.
     *
     * @param preparation returns the variables for a run of the capability, or why it cannot run
     */
    <T> T resolve(
            RunCapabilityRequest call,
            Optional<Capability> found,
            Function<Capability, CapabilityPreparation> preparation,
            Function<SubmissionResult, T> refused,
            Function<Submission, T> then) {
        if (found.isEmpty()) {
            return refused.apply(new SubmissionResult.CapabilityVersionNotFound(call.name(), call.version()));
        }
        Capability capability = found.get();
        Optional<SubmissionResult> refusal = refusal(capability, call);
        if (refusal.isPresent()) {
            return refused.apply(refusal.get());
        }
        CapabilityPreparation prepared = preparation.apply(capability);
        if (prepared instanceof CapabilityPreparation.CapabilityUnprepared unprepared) {
            return refused.apply(unprepared.reason());
        }
        return then.apply(submission(capability, call.options())
                .withVariables(((CapabilityPreparation.CapabilityPrepared) prepared).variables()));
    }

    /**
     * Checks that the tools that the capability names exist, and returns the present values of the variables that it
     * declares. Waits for the store.
     */
    CapabilityPreparation prepare(String tenant, Capability capability) {
        String name = capability.ref().toString();
        List<MissingTool> missing =
                requiredTools.findMissing(tenant, capability.definition().tools());
        if (!missing.isEmpty()) {
            return new CapabilityPreparation.CapabilityUnprepared(new SubmissionResult.ToolsMissing(name, missing));
        }
        PinResult pinned = variables.pin(tenant, capability.definition().env());
        return pinned instanceof PinResult.VariablesUnset unset
                ? new CapabilityPreparation.CapabilityUnprepared(
                        new SubmissionResult.VariablesNotSet(name, unset.unset()))
                : new CapabilityPreparation.CapabilityPrepared(((PinResult.VariablesPinned) pinned).variables());
    }

    private Optional<SubmissionResult> refusal(Capability capability, RunCapabilityRequest call) {
        return integrityMismatch(capability, call.integrity())
                .or(() -> capability
                        .definition()
                        .inputSchema()
                        .flatMap(schema ->
                                schemas.validate(schema, call.options().args()))
                        .map(violation -> new SubmissionResult.InvalidCapabilityArguments(
                                violation.pointer(), violation.reason())));
    }

    /**
     * Returns the refusal if the stored version differs from the published one, or does not have the expected hash.
     */
    public Optional<SubmissionResult> integrityMismatch(Capability capability, Optional<String> expectedHash) {
        String name = capability.ref().toString();
        if (!capability.isIntact()) {
            return Optional.of(
                    new SubmissionResult.IntegrityMismatch(name, "the stored version differs from the published one"));
        } else if (expectedHash.filter(hash -> !hash.equals(capability.hash())).isPresent()) {
            return Optional.of(new SubmissionResult.IntegrityMismatch(name, "it has " + capability.hash()));
        }
        return Optional.empty();
    }

    /** Returns the capability of that name and version or alias; empty when there is none. */
    public Optional<Capability> find(String tenant, String name, String version) {
        return capabilityResolver.find(tenant, name, version);
    }

    private static Submission submission(Capability capability, Submission options) {
        List<String> grants = CapabilityGrants.intersect(
                capability.definition().tools(), options.grants().orElse(ALL_TOOLS));
        return options.forCapability(
                capability.definition().code(),
                capability.definition().language(),
                grants,
                new CapabilityBinding(capability.ref(), capability.definition().outputSchema()));
    }
}
