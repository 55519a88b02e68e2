package org.sallyport.submission;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;

/** Makes executions of requests for others to store. Thread-safe. */
public final class RunMaker {
    private final Reception reception;
    private final CapabilityRuns capabilities;

    public RunMaker(Reception reception, CapabilityRuns capabilities) {
        this.reception = reception;
        this.capabilities = capabilities;
    }

    /** Throws as {@link Reception#accept}. */
    CompletionStage<MadeRun> make(Caller caller, RunRequest request) {
        if (request instanceof RunRequest.Published published) {
            return capabilities.made(
                    caller,
                    published.call(),
                    refusal -> CompletableFuture.completedFuture(new MadeRun.Refused(refusal)),
                    submission -> ready(caller, submission));
        }
        return ready(caller, request.options());
    }

    private CompletionStage<MadeRun> ready(Caller caller, Submission submission) {
        return reception
                .check(caller, submission)
                .thenApply(refusal -> refusal.<MadeRun>map(MadeRun.Refused::new)
                        .orElseGet(() -> new MadeRun.Ready(reception.made(caller, submission))));
    }

    /** Why a request would not be accepted, if so; stores nothing. */
    CompletionStage<Optional<Receipt>> check(Caller caller, RunRequest request) {
        if (request instanceof RunRequest.Published published) {
            return capabilities.made(
                    caller,
                    published.call(),
                    refusal -> CompletableFuture.completedFuture(Optional.of(refusal)),
                    submission -> reception.check(caller, submission));
        }
        return reception.check(caller, request.options());
    }
}
