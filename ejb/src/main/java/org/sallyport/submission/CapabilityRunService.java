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
import org.sallyport.execution.CapabilityBinding;

/** Accepts runs of published capabilities: makes a submission of the requested version. Thread-safe. */
public final class CapabilityRunService {
    private static final List<String> ALL_TOOLS = List.of("*");

    private final CapabilityResolver capabilityResolver;
    private final JsonSchemaValidator schemas;
    private final SubmissionService reception;
    private final CapabilityPreparer preparer;

    public CapabilityRunService(
            CapabilityStore store,
            JsonSchemaValidator schemas,
            SubmissionService reception,
            CapabilityPreparer preparer) {
        this.preparer = preparer;
        this.capabilityResolver = new CapabilityResolver(store);
        this.schemas = schemas;
        this.reception = reception;
    }

    /**
     * Behaves like {@link SubmissionService#submit}; also returns {@link SubmissionResult.CapabilityVersionNotFound},
     * {@link SubmissionResult.IntegrityMismatch}, {@link SubmissionResult.InvalidCapabilityArguments},
     * {@link SubmissionResult.SandboxNotAllowed}, {@link SubmissionResult.ToolsMissing},
     * {@link SubmissionResult.VariablesNotSet} and {@link SubmissionResult.VariablesTooLarge}. The run may call only
     * tools that the capability needs and the caller grants.
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, RunCapabilityRequest call) {
        return resolve(
                caller,
                call,
                refusal -> CompletableFuture.completedFuture(reception.earlierOr(caller, call.options(), refusal)),
                submission -> reception.submit(caller, submission));
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

    /** Returns the variables for a run of the capability, or why it cannot run now. Waits for the store. */
    CapabilityPreparation prepare(String tenant, Capability capability) {
        return preparer.prepare(tenant, capability);
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
                new CapabilityBinding(
                        capability.ref(),
                        capability.definition().outputSchema(),
                        capability.definition().sandbox()));
    }
}
