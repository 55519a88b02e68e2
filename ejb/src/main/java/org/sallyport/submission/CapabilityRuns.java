package org.sallyport.submission;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.sallyport.access.Caller;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.NeededTools;
import org.sallyport.capability.Published;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.VersionSummary;
import org.sallyport.execution.CapabilityUse;

/** Accepts runs of what was published: a submission made of the version that is asked for. Thread-safe. */
public final class CapabilityRuns {
    private static final List<String> ALL_TOOLS = List.of("*");

    private final Published published;
    private final SchemaCheck schemas;
    private final Reception reception;

    public CapabilityRuns(CapabilityStore store, SchemaCheck schemas, Reception reception) {
        this.published = new Published(store);
        this.schemas = schemas;
        this.reception = reception;
    }

    /**
     * As {@link Reception#accept}; also {@link Receipt.NoCapability}, {@link Receipt.OtherIntegrity} and {@link
     * Receipt.InvalidArguments}. It may call what it needs and the caller grants, nothing else.
     */
    public CompletionStage<Receipt> accept(Caller caller, CapabilityCall call) {
        return made(
                caller, call, CompletableFuture::completedFuture, submission -> reception.accept(caller, submission));
    }

    /** Goes on with the submission that is made of {@code call}, or with why none can be. */
    <T> T made(Caller caller, CapabilityCall call, Function<Receipt, T> refused, Function<Submission, T> then) {
        return made(
                call, find(caller.tenant(), call.name(), call.version().orElse(VersionSummary.STABLE)), refused, then);
    }

    /** The same with what was found for it. */
    <T> T made(
            CapabilityCall call,
            Optional<Capability> found,
            Function<Receipt, T> refused,
            Function<Submission, T> then) {
        if (found.isEmpty()) {
            return refused.apply(new Receipt.NoCapability(call.name(), call.version()));
        }
        Capability capability = found.get();
        return refusal(capability, call)
                .map(refused)
                .orElseGet(() -> then.apply(submission(capability, call.options())));
    }

    private Optional<Receipt> refusal(Capability capability, CapabilityCall call) {
        String name = capability.ref().toString();
        if (!capability.isWhole()) {
            return Optional.of(new Receipt.OtherIntegrity(name, "what is stored is not what was published"));
        } else if (call.integrity()
                .filter(hash -> !hash.equals(capability.hash()))
                .isPresent()) {
            return Optional.of(new Receipt.OtherIntegrity(name, "it has " + capability.hash()));
        }
        return capability
                .content()
                .inputSchema()
                .flatMap(schema -> schemas.fault(schema, call.options().args()))
                .map(fault -> new Receipt.InvalidArguments(fault.pointer(), fault.reason()));
    }

    /** The version that a version or an alias names. */
    public Optional<Capability> find(String tenant, String name, String version) {
        return published.find(tenant, name, version);
    }

    private static Submission submission(Capability capability, Submission options) {
        List<String> grants = NeededTools.within(
                capability.content().tools(), options.grants().orElse(ALL_TOOLS));
        return options.running(
                capability.content().code(),
                capability.content().language(),
                grants,
                new CapabilityUse(capability.ref(), capability.content().outputSchema()));
    }
}
