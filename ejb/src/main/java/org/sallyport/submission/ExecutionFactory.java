package org.sallyport.submission;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;

/** Makes executions of run requests; the caller of this class stores them. Thread-safe. */
public final class ExecutionFactory {
    private final SubmissionService reception;
    private final CapabilityRunService capabilities;

    public ExecutionFactory(SubmissionService reception, CapabilityRunService capabilities) {
        this.reception = reception;
        this.capabilities = capabilities;
    }

    /** Checks the request and makes an execution of it. Throws the exceptions of {@link SubmissionService#submit}. */
    CompletionStage<PreparedExecution> prepare(Caller caller, RunRequest request) {
        if (request instanceof RunRequest.CapabilityRun published) {
            return capabilities.resolve(
                    caller,
                    published.call(),
                    refusal -> CompletableFuture.completedFuture(new PreparedExecution.ExecutionRefused(refusal)),
                    submission -> checkAndPrepare(caller, submission));
        }
        return checkAndPrepare(caller, request.options());
    }

    private CompletionStage<PreparedExecution> checkAndPrepare(Caller caller, Submission submission) {
        return reception
                .checkWithLanguage(caller, submission)
                .thenApply(checked -> checked.refusal()
                        .<PreparedExecution>map(PreparedExecution.ExecutionRefused::new)
                        .orElseGet(() -> new PreparedExecution.ExecutionReady(
                                reception.toNewExecution(caller, checked.submission()))));
    }

    /** Returns the reason why the request would be refused, empty when it would be accepted; stores nothing. */
    CompletionStage<Optional<SubmissionResult>> check(Caller caller, RunRequest request) {
        if (request instanceof RunRequest.CapabilityRun published) {
            return capabilities.resolve(
                    caller,
                    published.call(),
                    refusal -> CompletableFuture.completedFuture(Optional.of(refusal)),
                    submission -> reception.check(caller, submission));
        }
        return reception.check(caller, request.options());
    }
}
