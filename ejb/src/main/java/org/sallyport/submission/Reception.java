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
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.SandboxSettings;
import org.sallyport.execution.Acceptance;
import org.sallyport.execution.Census;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Effects;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIds;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.PendingJob;
import org.sallyport.execution.ScriptTier;
import org.sallyport.failpoint.Failpoint;
import org.sallyport.policy.Grants;
import org.sallyport.quota.CountedQuota;
import org.sallyport.quota.Quota;
import org.sallyport.quota.Quotas;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Preparation;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.SandboxUnavailableException;
import org.sallyport.sandbox.Script;
import org.sallyport.script.ScriptStore;
import org.sallyport.tracecontext.Sampler;

/**
 * Accepts executions: one local transaction, then a small message. When the message is lost a sweeper sends it again, so a
 * broker that is down delays work but refuses none. Thread-safe.
 */
public final class Reception {
    private final Configuration configuration;
    private final LimitPolicy limits;
    private final AdmissionPolicy admissions;
    private final ExecutionIds ids;
    private final Sandbox sandbox;
    private final Tiers tiers;
    private final ExecutionStore store;
    private final JobDispatch dispatch;
    private final Executor executor;
    private final CountedQuota queue;
    private final CountedQuota live;
    private final CallbackRule callbacks;
    private final Sampler sampler;
    private final ScriptStore scripts;
    private final EarlierAnswers answers;
    private final Consumer<ExecutionId> ended;

    /** Says why somebody may not be told at a URL that an execution of a tenant has ended; empty when he may. */
    @FunctionalInterface
    public interface CallbackRule {
        Optional<String> fault(String tenant, String url);
    }

    /**
     * @param quotas how many executions tenants may have
     * @param executor runs the transaction when the script had to be read first
     * @param sampler says in which trace each runs
     * @param scripts where scripts are kept
     * @param answers those that were given before
     * @param ended is told of executions that end by being answered so; must not block
     * @param clock what is asked for is judged by; when it comes the store's clock says
     */
    public Reception(
            Configuration configuration,
            ExecutionIds ids,
            Sandbox sandbox,
            Tiers tiers,
            ExecutionStore store,
            Census census,
            Quotas quotas,
            JobDispatch dispatch,
            Executor executor,
            CallbackRule callbacks,
            Sampler sampler,
            ScriptStore scripts,
            EarlierAnswers answers,
            Consumer<ExecutionId> ended,
            InstantSource clock) {
        this.answers = answers;
        this.ended = ended;
        this.scripts = scripts;
        this.queue = new CountedQuota(census::pending, tenant -> quotas.most(tenant, Quota.QUEUED), System::nanoTime);
        this.live = new CountedQuota(census::live, tenant -> quotas.most(tenant, Quota.LIVE), System::nanoTime);
        this.callbacks = callbacks;
        this.sampler = sampler;
        this.configuration = configuration;
        this.limits = new LimitPolicy(configuration);
        this.admissions = new AdmissionPolicy(configuration, clock);
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
        return afterReading(
                caller,
                submission,
                refusal -> refusal.orElseGet(() -> store(caller, submission, made(caller, submission))));
    }

    /** Why {@code submission} would not be accepted, if so; stores nothing. Throws as {@link #accept}. */
    public CompletionStage<Optional<Receipt>> check(Caller caller, Submission submission) {
        return afterReading(caller, submission, refusal -> refusal);
    }

    /** The way a script that can be read would be run. */
    public ScriptTier tier(Caller caller, Submission submission) {
        return tiers.of(script(submission), grants(caller, submission));
    }

    /**
     * Globs of the tools that what is made of {@code submission} may call: those that are asked for, or all, as far as the caller holds them.
     * What he asks for beyond is no fault: nobody need know what his key holds to have a script run by it.
     */
    public static List<String> grants(Caller caller, Submission submission) {
        return submission
                .grants()
                .map(asked -> Grants.both(asked, caller.grants()))
                .orElse(caller.grants());
    }

    private <T> CompletionStage<T> afterReading(
            Caller caller, Submission submission, Function<Optional<Receipt>, T> then) {
        limits.resolve(submission.limits());
        admissions.check(submission.admission());
        submission
                .callback()
                .flatMap(url -> callbacks.fault(caller.tenant(), url))
                .ifPresent(fault -> {
                    throw new InvalidSubmissionException("callback", fault);
                });
        Optional<Receipt> refused = refusedDebugging(caller, submission)
                .or(() -> tooLarge(submission))
                .or(() -> ScriptRuns.taken(scripts, caller, submission));
        if (refused.isPresent()) {
            return CompletableFuture.completedFuture(then.apply(refused));
        }
        CompletableFuture<Preparation> reading =
                sandbox.check(caller.tenant(), script(submission)).toCompletableFuture();
        if (reading.isDone() && !reading.isCompletedExceptionally()) {
            // Read before: no change of thread on the way that most submissions take.
            return CompletableFuture.completedFuture(then.apply(refusal(reading.join())));
        }
        return reading.handleAsync(
                (verdict, failure) -> {
                    if (failure == null) {
                        return then.apply(refusal(verdict));
                    }
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    if (cause instanceof SandboxUnavailableException) {
                        return then.apply(Optional.of(new Receipt.Unavailable(String.valueOf(cause.getMessage()))));
                    }
                    throw new IllegalStateException("the script could not be read", cause);
                },
                executor);
    }

    private static Optional<Receipt> refusal(Preparation verdict) {
        return verdict instanceof Preparation.Rejected bad
                ? Optional.of(new Receipt.BadSyntax(bad.message(), bad.line(), bad.column(), bad.codeFrame()))
                : Optional.empty();
    }

    /**
     * Stores so many more of the caller's tenant if it may have them.
     *
     * @param stored whether what came of it says that they are
     * @param refused what comes of it when it may not; nothing was done then
     */
    <T> T queued(Caller caller, int more, Supplier<T> work, Predicate<T> stored, Function<Receipt, T> refused) {
        String tenant = caller.tenant();
        if (!queue.take(tenant, more)) {
            return refused.apply(new Receipt.QueueFull(queue.most(tenant)));
        }
        boolean enters = false;
        boolean done = false;
        try {
            enters = live.take(tenant, more);
            if (!enters) {
                return refused.apply(new Receipt.OverQuota(Quota.LIVE, live.most(tenant)));
            }
            T made = work.get();
            done = stored.test(made);
            return made;
        } finally {
            queue.settle(tenant, more, done);
            if (enters) {
                live.settle(tenant, more, done);
            }
        }
    }

    /** How many more executions the caller's tenant may have that have not ended, at most {@code wanted}. */
    int room(Caller caller, int wanted) {
        return (int) live.room(caller.tenant(), wanted);
    }

    /** What is said to those for whom there is no room. */
    Receipt noRoom(Caller caller) {
        return new Receipt.OverQuota(Quota.LIVE, live.most(caller.tenant()));
    }

    /** What is made of a submission that was checked. */
    NewExecution made(Caller caller, Submission submission) {
        List<String> grants = grants(caller, submission);
        ExecutionId id = ids.next();
        return answers.keyed(new NewExecution(
                id,
                caller.tenant(),
                caller.keyId(),
                submission.code(),
                submission.language(),
                tiers.of(script(submission), grants),
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
                sampler.begin(id.value(), caller.trace()),
                submission.reuse(),
                submission.admission()));
    }

    private Receipt store(Caller caller, Submission submission, NewExecution execution) {
        Optional<Acceptance> answered = answers.answer(execution);
        if (answered.isPresent() && answered.get() instanceof Acceptance.Stored stored) {
            ended.accept(stored.id());
            return new Receipt.Accepted(stored.id(), false);
        }
        return queued(
                caller,
                1,
                () -> receipt(caller, submission, store.accept(execution)),
                made -> made instanceof Receipt.Accepted accepted && !accepted.replayed(),
                // Who asks again with the same key is told what became of it, however full it is.
                full -> store.earlier(execution)
                        .map(known -> receipt(caller, submission, known))
                        .orElse(full));
    }

    private Receipt receipt(Caller caller, Submission submission, Acceptance acceptance) {
        if (acceptance instanceof Acceptance.Stored stored) {
            Failpoint.ACCEPTED.reached(stored.id());
            if (!submission.admission().delayed()) {
                dispatch.send(new PendingJob(stored.id(), caller.tenant(), submission.priority(), 0));
            }
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
                .or(() -> tooLarge("context", submission.context().text(), configuration.get(LimitSettings.ARGS)))
                .or(() -> submission.effects() instanceof Effects.DryRun dry
                        ? tooLarge("fixtures", dry.fixtures().text(), configuration.get(LimitSettings.ARGS))
                        : Optional.empty());
    }

    private static Optional<Receipt> tooLarge(String member, String text, long limit) {
        if (text.length() * 3L <= limit) {
            return Optional.empty();
        }
        long size = text.getBytes(StandardCharsets.UTF_8).length;
        return size > limit ? Optional.of(new Receipt.TooLarge(member, size, limit)) : Optional.empty();
    }
}
