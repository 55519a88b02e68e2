package org.sallyport.submission;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.ExecutionCounts;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionJob;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.InsertResult;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.ScriptTier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.UnknownWriteRepeater;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.policy.ToolGrants;
import org.sallyport.quota.CountedQuotaCheck;
import org.sallyport.quota.QuotaLimits;
import org.sallyport.quota.QuotaType;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.ScriptReferences;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.script.ScriptStore;
import org.sallyport.tracecontext.TraceSampler;

/**
 * Accepts executions: commits one local transaction, then sends a small job message. A sweeper sends lost messages
 * again, so a broker that is down delays work but refuses none. Thread-safe.
 */
public final class SubmissionService {
    private final Configuration configuration;
    private final LimitResolver limits;
    private final AdmissionPolicy admissionPolicy;
    private final ExecutionIdGenerator ids;
    private final Sandbox sandbox;
    private final TierSelector tierSelector;
    private final ExecutionStore store;
    private final JobDispatcher dispatch;
    private final Executor executor;
    private final CountedQuotaCheck queuedQuota;
    private final CountedQuotaCheck liveQuota;
    private final CallbackUrlCheck callbackUrlCheck;
    private final TraceSampler sampler;
    private final ScriptStore scripts;
    private final ResultCacheService resultCache;
    private final Consumer<ExecutionId> onEnded;

    /** Returns the reason why a tenant may not use a callback URL; empty when it may. */
    @FunctionalInterface
    public interface CallbackUrlCheck {
        Optional<String> rejectionReason(String tenant, String url);
    }

    /**
     * The result of a check.
     *
     * @param submission the submission; if it was accepted, with the language of its script
     * @param refusal the reason why it would be refused; empty if it would be accepted
     */
    public record CheckedSubmission(Submission submission, Optional<SubmissionResult> refusal) {
        static CheckedSubmission refused(Submission submission, SubmissionResult refusal) {
            return new CheckedSubmission(submission, Optional.of(refusal));
        }
    }

    /**
     * The result of a check, and the names that the script refers to.
     *
     * @param references none if the submission would be refused for another reason than the syntax of its script
     */
    public record ReferencedSubmission(CheckedSubmission checked, ScriptReferences references) {}

    /**
     * @param quotas how many executions tenants may have
     * @param executor runs the transaction when the script had to be checked first
     * @param sampler starts the trace of each execution
     * @param scripts the saved scripts
     * @param answers the cached results
     * @param ended receives executions that end with a cached result; must not block
     * @param clock checks requested times; the store's clock decides when an execution starts
     */
    public SubmissionService(
            Configuration configuration,
            ExecutionIdGenerator ids,
            Sandbox sandbox,
            TierSelector tiers,
            ExecutionStore store,
            ExecutionCounts census,
            QuotaLimits quotas,
            JobDispatcher dispatch,
            Executor executor,
            CallbackUrlCheck callbacks,
            TraceSampler sampler,
            ScriptStore scripts,
            ResultCacheService answers,
            Consumer<ExecutionId> ended,
            InstantSource clock) {
        this.resultCache = answers;
        this.onEnded = ended;
        this.scripts = scripts;
        this.queuedQuota = new CountedQuotaCheck(
                census::countPending, tenant -> quotas.limit(tenant, QuotaType.QUEUED), System::nanoTime);
        this.liveQuota = new CountedQuotaCheck(
                census::countUnfinished, tenant -> quotas.limit(tenant, QuotaType.LIVE), System::nanoTime);
        this.callbackUrlCheck = callbacks;
        this.sampler = sampler;
        this.configuration = configuration;
        this.limits = new LimitResolver(configuration);
        this.admissionPolicy = new AdmissionPolicy(configuration, clock);
        this.ids = ids;
        this.sandbox = sandbox;
        this.tierSelector = tiers;
        this.store = store;
        this.dispatch = dispatch;
        this.executor = executor;
    }

    /**
     * Accepts {@code submission} or returns the reason for the refusal. Throws {@link InvalidSubmissionException}; the
     * stage fails with {@link StoreUnavailableException} when nothing is stored. When that is unknown, the result is
     * {@link SubmissionResult.SubmissionOutcomeUnknown}.
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, Submission submission) {
        return afterScriptCheck(
                caller,
                submission,
                checked -> checked.refusal()
                        .map(reason -> earlierOr(caller, submission, reason))
                        .orElseGet(() ->
                                store(caller, checked.submission(), toNewExecution(caller, checked.submission()))));
    }

    /**
     * Returns the result of an earlier request with the idempotency key of {@code submission}; {@code refusal} if there
     * was none. What a request needs may have vanished since the earlier one was accepted. Waits for the store.
     */
    SubmissionResult earlierOr(Caller caller, Submission submission, SubmissionResult refusal) {
        return submission
                .idempotency()
                .flatMap(key -> store.findByIdempotencyKey(caller.tenant(), key))
                .map(known -> toResult(caller, submission, known))
                .orElse(refusal);
    }

    /**
     * Returns the reason why {@code submission} would be refused, empty when it would be accepted; stores nothing.
     * Throws the exceptions of {@link #submit}.
     */
    public CompletionStage<Optional<SubmissionResult>> check(Caller caller, Submission submission) {
        return afterScriptCheck(caller, submission, CheckedSubmission::refusal);
    }

    /**
     * Checks {@code submission}, like {@link #check}, and finds the language of its script if the submitter named none.
     * Stores nothing. Throws the exceptions of {@link #submit}.
     */
    public CompletionStage<CheckedSubmission> checkWithLanguage(Caller caller, Submission submission) {
        return afterScriptCheck(caller, submission, checked -> checked);
    }

    /**
     * Checks {@code submission}, like {@link #checkWithLanguage}, and finds the names that its script refers to. Stores
     * nothing. Throws the exceptions of {@link #submit}.
     */
    public CompletionStage<ReferencedSubmission> checkWithReferences(Caller caller, Submission submission) {
        return checkWithLanguage(caller, submission).thenCompose(checked -> findReferences(caller, checked));
    }

    private CompletionStage<ReferencedSubmission> findReferences(Caller caller, CheckedSubmission checked) {
        Optional<SubmissionResult> refusal = checked.refusal();
        if (refusal.isPresent() && !(refusal.get() instanceof SubmissionResult.InvalidScriptSyntax)) {
            return CompletableFuture.completedFuture(new ReferencedSubmission(checked, ScriptReferences.NONE));
        }
        return sandbox.findReferences(caller.tenant(), script(checked.submission()))
                .handleAsync(
                        (references, failure) -> failure == null
                                ? new ReferencedSubmission(checked, references)
                                : new ReferencedSubmission(
                                        CheckedSubmission.refused(checked.submission(), toRefusal(failure)),
                                        ScriptReferences.NONE),
                        executor);
    }

    /** Returns the tier that would run the script. */
    public ScriptTier tier(Caller caller, Submission submission) {
        return tierSelector.select(script(submission), effectiveGrants(caller, submission));
    }

    /**
     * Returns the globs of the tools that the execution may call: the requested tools, or all when none are requested,
     * restricted to the caller's grants. Requesting more is no error, so that a client need not know the grants of its
     * API key.
     */
    public static List<String> effectiveGrants(Caller caller, Submission submission) {
        return submission
                .grants()
                .map(asked -> ToolGrants.intersection(asked, caller.grants()))
                .orElse(caller.grants());
    }

    private <T> CompletionStage<T> afterScriptCheck(
            Caller caller, Submission submission, Function<CheckedSubmission, T> then) {
        limits.resolve(submission.limits());
        admissionPolicy.check(submission);
        submission
                .callback()
                .flatMap(url -> callbackUrlCheck.rejectionReason(caller.tenant(), url))
                .ifPresent(reason -> {
                    throw new InvalidSubmissionException("callback", reason);
                });
        Optional<SubmissionResult> refused = checkDebugAllowed(caller, submission)
                .or(() -> checkSize(submission))
                .or(() -> findNameConflict(caller, submission));
        if (refused.isPresent()) {
            return CompletableFuture.completedFuture(then.apply(CheckedSubmission.refused(submission, refused.get())));
        }
        CompletableFuture<ScriptCheckResult> reading =
                sandbox.check(caller.tenant(), script(submission)).toCompletableFuture();
        if (reading.isDone() && !reading.isCompletedExceptionally()) {
            // The check result was cached: most submissions take this path and avoid a change of thread.
            return CompletableFuture.completedFuture(then.apply(toChecked(caller, submission, reading.join())));
        }
        return reading.handleAsync(
                (verdict, failure) -> {
                    if (failure == null) {
                        return then.apply(toChecked(caller, submission, verdict));
                    }
                    return then.apply(CheckedSubmission.refused(submission, toRefusal(failure)));
                },
                executor);
    }

    private static SubmissionResult toRefusal(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (cause instanceof SandboxUnavailableException) {
            return new SubmissionResult.ScriptCheckUnavailable(String.valueOf(cause.getMessage()));
        }
        throw new IllegalStateException("the script could not be checked", cause);
    }

    private CheckedSubmission toChecked(Caller caller, Submission submission, ScriptCheckResult verdict) {
        if (verdict instanceof ScriptCheckResult.ScriptRejected bad) {
            return CheckedSubmission.refused(
                    submission,
                    new SubmissionResult.InvalidScriptSyntax(bad.message(), bad.line(), bad.column(), bad.codeFrame()));
        }
        ScriptCheckResult.ScriptAccepted accepted = (ScriptCheckResult.ScriptAccepted) verdict;
        if (submission.language() != ScriptLanguage.UNSPECIFIED) {
            return new CheckedSubmission(submission, Optional.empty());
        }
        Submission known = submission.withLanguage(
                ScriptLanguage.valueOf(accepted.language().name()));
        return new CheckedSubmission(known, findNameConflict(caller, known));
    }

    /** The name of a script depends on its language, so the check waits until it is known. */
    private Optional<SubmissionResult> findNameConflict(Caller caller, Submission submission) {
        return submission.language() == ScriptLanguage.UNSPECIFIED
                ? Optional.empty()
                : SavedScriptRunService.findNameConflict(scripts, caller, submission);
    }

    /**
     * Runs {@code work} if the quotas of the caller's tenant allow {@code more} executions.
     *
     * @param stored whether the result says that the executions are stored
     * @param refused makes the result when a quota is exceeded; {@code work} has not run then
     */
    <T> T withinQuota(
            Caller caller, int more, Supplier<T> work, Predicate<T> stored, Function<SubmissionResult, T> refused) {
        String tenant = caller.tenant();
        if (!queuedQuota.tryReserve(tenant, more)) {
            return refused.apply(new SubmissionResult.TenantQueueFull(queuedQuota.limitFor(tenant)));
        }
        boolean enters = false;
        boolean done = false;
        try {
            enters = liveQuota.tryReserve(tenant, more);
            if (!enters) {
                return refused.apply(
                        new SubmissionResult.TenantQuotaExceeded(QuotaType.LIVE, liveQuota.limitFor(tenant)));
            }
            T result = work.get();
            done = stored.test(result);
            return result;
        } finally {
            queuedQuota.settle(tenant, more, done);
            if (enters) {
                liveQuota.settle(tenant, more, done);
            }
        }
    }

    /** Returns the refusal of any further execution of the caller's tenant; empty if its quotas allow one. */
    Optional<SubmissionResult> findExhaustedQuota(Caller caller) {
        String tenant = caller.tenant();
        if (queuedQuota.available(tenant, 1) < 1) {
            return Optional.of(new SubmissionResult.TenantQueueFull(queuedQuota.limitFor(tenant)));
        }
        return liveQuota.available(tenant, 1) < 1 ? Optional.of(quotaExceeded(caller)) : Optional.empty();
    }

    /** Returns how many more unfinished executions the quota of the caller's tenant allows, at most {@code wanted}. */
    int remainingQuota(Caller caller, int wanted) {
        return (int) liveQuota.available(caller.tenant(), wanted);
    }

    /** Returns the refusal for an exceeded quota of unfinished executions. */
    SubmissionResult quotaExceeded(Caller caller) {
        return new SubmissionResult.TenantQuotaExceeded(QuotaType.LIVE, liveQuota.limitFor(caller.tenant()));
    }

    /** Makes an execution of a submission that was checked, so that its language is known. */
    NewExecution toNewExecution(Caller caller, Submission submission) {
        List<String> grants = effectiveGrants(caller, submission);
        ExecutionId id = ids.next();
        return resultCache.withResultKey(new NewExecution(
                id,
                caller.tenant(),
                caller.id(),
                submission.code(),
                submission.language(),
                tierSelector.select(script(submission), grants),
                submission.args(),
                submission.context(),
                limits.resolve(submission.limits()),
                grants,
                submission.labels(),
                submission.priority(),
                submission.debug(),
                submission.durability(),
                submission.intent(),
                submission.idempotency(),
                submission.rerun(),
                submission.effects(),
                submission.capability(),
                submission.callback(),
                sampler.startTrace(id.value(), caller.trace()),
                submission.cacheOptions(),
                submission.admission(),
                submission.variables()));
    }

    private SubmissionResult store(Caller caller, Submission submission, NewExecution execution) {
        try {
            Optional<InsertResult> answered = storeWithCachedResult(execution);
            if (answered.isPresent() && answered.get() instanceof InsertResult.ExecutionInserted stored) {
                onEnded.accept(stored.id());
                return new SubmissionResult.SubmissionAccepted(stored.id(), false);
            }
            return withinQuota(
                    caller,
                    1,
                    () -> toResult(caller, submission, insert(execution)),
                    result -> result instanceof SubmissionResult.SubmissionAccepted accepted && !accepted.replayed(),
                    // A repeated request with the same key gets its original result, even if the quota is exhausted.
                    full -> earlierOr(caller, submission, full));
        } catch (StoreUnavailableException e) {
            if (!e.maybeStored()) {
                throw e;
            }
            return new SubmissionResult.SubmissionOutcomeUnknown(execution.id());
        }
    }

    private Optional<InsertResult> storeWithCachedResult(NewExecution execution) {
        return UnknownWriteRepeater.repeatIfUnknown(
                () -> resultCache.storeWithCachedResult(execution),
                // Without a cached result it would be stored as an execution that runs, although it may have ended.
                () -> Optional.of(resultCache
                        .storeWithCachedResult(execution)
                        .map(SubmissionService::requireFinished)
                        .orElseThrow(() -> unknown("the cached result can no longer be used"))));
    }

    private InsertResult insert(NewExecution execution) {
        return UnknownWriteRepeater.repeatIfUnknown(
                () -> store.insert(execution), () -> requireFinished(store.insert(execution)));
    }

    /** The insert that holds the idempotency key may be the first one of this request. */
    private static InsertResult requireFinished(InsertResult repeated) {
        if (repeated instanceof InsertResult.ExecutionInsertInProgress) {
            throw unknown("an insert with the same idempotency key is not finished");
        }
        return repeated;
    }

    private static StoreUnavailableException unknown(String reason) {
        return new StoreUnavailableException(
                "it is unknown whether the execution is stored", new IllegalStateException(reason), true);
    }

    private SubmissionResult toResult(Caller caller, Submission submission, InsertResult acceptance) {
        if (acceptance instanceof InsertResult.ExecutionInserted stored) {
            Failpoint.ACCEPTED.reached(stored.id());
            if (!submission.admission().isDelayed()) {
                dispatch.enqueue(new ExecutionJob(stored.id(), caller.tenant(), submission.priority(), 0));
            }
            return new SubmissionResult.SubmissionAccepted(stored.id(), false);
        } else if (acceptance instanceof InsertResult.ExecutionAlreadyInserted replayed) {
            return new SubmissionResult.SubmissionAccepted(replayed.id(), true);
        } else if (acceptance instanceof InsertResult.ExecutionKeyConflict) {
            return new SubmissionResult.SubmissionKeyReused();
        }
        return new SubmissionResult.SubmissionInProgress();
    }

    private Optional<SubmissionResult> checkDebugAllowed(Caller caller, Submission submission) {
        if (submission.debug() == DebugMode.NONE) {
            return Optional.empty();
        } else if (!configuration.get(SandboxSettings.DEBUG)) {
            return Optional.of(new SubmissionResult.SubmissionForbidden(
                    "debugging is off; an operator may set " + SandboxSettings.DEBUG.name() + "=true"));
        } else if (!caller.roles().contains(Role.OPERATOR) && !caller.roles().contains(Role.ADMIN)) {
            return Optional.of(new SubmissionResult.SubmissionForbidden("debugging needs the role operator"));
        }
        return Optional.empty();
    }

    private static Script script(Submission submission) {
        return new Script(
                submission.code(), SourceLanguage.valueOf(submission.language().name()));
    }

    private Optional<SubmissionResult> checkSize(Submission submission) {
        return checkSize("code", submission.code(), configuration.get(LimitSettings.MAX_SOURCE_BYTES))
                .or(() -> checkSize("args", submission.args().text(), configuration.get(LimitSettings.MAX_ARGS_BYTES)))
                .or(() -> checkSize(
                        "context", submission.context().text(), configuration.get(LimitSettings.MAX_ARGS_BYTES)))
                .or(() -> submission.effects() instanceof EffectMode.DryRun dry
                        ? checkSize("fixtures", dry.fixtures().text(), configuration.get(LimitSettings.MAX_ARGS_BYTES))
                        : Optional.empty());
    }

    private static Optional<SubmissionResult> checkSize(String member, String text, long limit) {
        if (text.length() * 3L <= limit) {
            return Optional.empty();
        }
        long size = text.getBytes(StandardCharsets.UTF_8).length;
        return size > limit
                ? Optional.of(new SubmissionResult.SubmissionTooLarge(member, size, limit))
                : Optional.empty();
    }
}
