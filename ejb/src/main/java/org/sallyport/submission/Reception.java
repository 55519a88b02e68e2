package org.sallyport.submission;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Limits;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PendingJob;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;

/**
 * Accepts executions: one local transaction, then a small message. When the message is lost a sweeper sends it again, so a
 * broker that is down delays work but refuses none. Thread-safe.
 */
public final class Reception {
    private static final List<String> ALL_TOOLS = List.of("*");

    private final Configuration configuration;
    private final LimitPolicy limits;
    private final ExecutionIds ids;
    private final Sandbox sandbox;
    private final Tiers tiers;
    private final ExecutionStore store;
    private final JobDispatch dispatch;
    private final Executor executor;

    /** @param executor runs the transaction when the script had to be read first */
    public Reception(
            Configuration configuration,
            ExecutionIds ids,
            Sandbox sandbox,
            Tiers tiers,
            ExecutionStore store,
            JobDispatch dispatch,
            Executor executor) {
        this.configuration = configuration;
        this.limits = new LimitPolicy(configuration);
        this.ids = ids;
        this.sandbox = sandbox;
        this.tiers = tiers;
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /**
     * Accepts {@code submission} or says why not. Throws {@link InvalidSubmissionException}; the stage fails with {@link
     * org.sallyport.execution.StoreUnavailableException} when nothing could be stored.
     */
    public CompletionStage<Receipt> accept(Caller caller, Submission submission) {
        Limits resolved = limits.resolve(submission.limits());
        Optional<Receipt> tooLarge = refusedDebugging(caller, submission).or(() -> tooLarge(submission));
        if (tooLarge.isPresent()) {
            return CompletableFuture.completedFuture(tooLarge.get());
        }
        CompletableFuture<Preparation> reading =
                sandbox.check(caller.tenant(), script(submission)).toCompletableFuture();
        if (reading.isDone() && !reading.isCompletedExceptionally()) {
            // Read before: no change of thread on the way that most submissions take.
            return CompletableFuture.completedFuture(decide(caller, submission, resolved, reading.join()));
        }
        return reading.handleAsync(
                (verdict, failure) -> {
                    if (failure == null) {
                        return decide(caller, submission, resolved, verdict);
                    }
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    if (cause instanceof SandboxUnavailableException) {
                        return new Receipt.Unavailable(String.valueOf(cause.getMessage()));
                    }
                    throw new IllegalStateException("the script could not be read", cause);
                },
                executor);
    }

    private Receipt decide(Caller caller, Submission submission, Limits resolved, Preparation verdict) {
        if (verdict instanceof Preparation.Rejected bad) {
            return new Receipt.BadSyntax(bad.message(), bad.line(), bad.column(), bad.codeFrame());
        }
        List<String> grants = submission.grants().orElse(ALL_TOOLS);
        NewExecution execution = new NewExecution(
                ids.next(),
                caller.tenant(),
                caller.keyId(),
                submission.code(),
                submission.language(),
                tiers.of(script(submission), grants),
                submission.args(),
                submission.context(),
                resolved,
                grants,
                submission.labels(),
                submission.priority(),
                submission.debug(),
                submission.durability(),
                submission.intent(),
                submission.idempotency());
        Acceptance acceptance = store.accept(execution);
        if (acceptance instanceof Acceptance.Stored stored) {
            Failpoint.ACCEPTED.reached(stored.id());
            dispatch.send(new PendingJob(stored.id(), caller.tenant(), submission.priority(), 0));
            return new Receipt.Accepted(stored.id(), false);
        } else if (acceptance instanceof Acceptance.Replayed replayed) {
            return new Receipt.Accepted(replayed.id(), true);
        } else if (acceptance instanceof Acceptance.KeyReused) {
            return new Receipt.KeyReused();
        }
        return new Receipt.InProgress();
    }

    private Optional<Receipt> refusedDebugging(Caller caller, Submission submission) {
        if (submission.debug() == DebugMode.NONE) {
            return Optional.empty();
        } else if (!configuration.get(SandboxSettings.DEBUG)) {
            return Optional.of(new Receipt.Forbidden(
                    "debugging is off; an operator may set " + SandboxSettings.DEBUG.name() + "=true"));
        } else if (!caller.roles().contains(Role.OPERATOR) && !caller.roles().contains(Role.ADMIN)) {
            return Optional.of(new Receipt.Forbidden("debugging needs the role operator"));
        }
        return Optional.empty();
    }

    private static Script script(Submission submission) {
        return new Script(
                submission.code(), Language.valueOf(submission.language().name()));
    }

    private Optional<Receipt> tooLarge(Submission submission) {
        return tooLarge("code", submission.code(), configuration.get(LimitSettings.SOURCE))
                .or(() -> tooLarge("args", submission.args().text(), configuration.get(LimitSettings.ARGS)))
                .or(() -> tooLarge("context", submission.context().text(), configuration.get(LimitSettings.ARGS)));
    }

    private static Optional<Receipt> tooLarge(String member, String text, long limit) {
        if (text.length() * 3L <= limit) {
            return Optional.empty();
        }
        long size = text.getBytes(StandardCharsets.UTF_8).length;
        return size > limit ? Optional.of(new Receipt.TooLarge(member, size, limit)) : Optional.empty();
    }
}
