package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.submission.FakeInterfaces.fake;
import static org.sallyport.submission.FakeInterfaces.unused;

import java.time.InstantSource;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.auth.Caller;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.RequiredToolCheck;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.sandbox.Sandbox;
import org.sallyport.sandbox.ScriptCheckResult;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.script.ScriptStore;
import org.sallyport.tool.Json;
import org.sallyport.variable.VariablePinner;

class BatchValidatorTest {
    private static final SubmissionResult QUOTA = new SubmissionResult.SubmissionInProgress();

    private static final Submission TYPED =
            submission(ScriptLanguage.TYPESCRIPT, "return 1", Json.EMPTY_OBJECT, Json.EMPTY_OBJECT);
    private static final Submission UNSPECIFIED = TYPED.withLanguage(ScriptLanguage.UNSPECIFIED);
    private static final Caller CALLER = new Caller("key-1", "acme", Set.of());
    /** Five of these texts are shorter than 1 Mi characters, six are not. */
    private static final String LONG_TEXT = "x".repeat(200_000);

    private final BatchCoalescing coalescing = BatchCoalescing.none(CALLER);
    private int pendingChecks;
    private int maxPendingChecks;

    private static Submission submission(ScriptLanguage language, String code, Json args, Json context) {
        return new Submission(
                code,
                language,
                args,
                context,
                RequestedLimits.NONE,
                Optional.empty(),
                Map.of(),
                4,
                DebugMode.NONE,
                Durability.JOURNAL,
                Optional.empty(),
                Optional.empty());
    }

    private record FakeItemSource(int count, List<BatchRequest.BatchRequestEntry> entries)
            implements BatchRequest.BatchItemSource {
        @Override
        public Iterator<BatchRequest.BatchRequestEntry> read() {
            return entries.iterator();
        }

        @Override
        public Json problem(int index, SubmissionResult refusal) {
            return new Json("\"quota\"");
        }

        @Override
        public Json problem(int index, InvalidSubmissionException exception) {
            throw new AssertionError(exception);
        }
    }

    /** A validator of items with these keys. */
    private BatchValidator validator(String... keys) {
        return validator(false, keys);
    }

    private BatchValidator validator(boolean scriptsWereAccepted, String... keys) {
        IntStream.range(0, keys.length).forEach(index -> coalescing.add(index, keys[index]));
        return new BatchValidator(new FakeItemSource(keys.length, List.of()), coalescing, scriptsWereAccepted);
    }

    /** A future that is completed by the first thread that waits for it or for a stage that depends on it. */
    private static final class AwaitedFuture<T> extends CompletableFuture<T> {
        private Runnable onAwaited = () -> {};

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            AwaitedFuture<U> dependent = new AwaitedFuture<>();
            dependent.onAwaited = onAwaited;
            return dependent;
        }

        @Override
        public T join() {
            onAwaited.run();
            return super.join();
        }
    }

    private CompletableFuture<ScriptCheckResult> startCheck() {
        maxPendingChecks = Math.max(maxPendingChecks, ++pendingChecks);
        AwaitedFuture<ScriptCheckResult> check = new AwaitedFuture<>();
        check.onAwaited = () -> {
            if (check.complete(new ScriptCheckResult.ScriptAccepted(SourceLanguage.JAVASCRIPT, false))) {
                pendingChecks--;
            }
        };
        return check;
    }

    /** Checks a batch of as many equal submissions, which are valid. */
    private void validate(int count, Submission submission) {
        SubmissionService submissions = SubmissionServiceFixture.create(
                fake(Sandbox.class, (self, method, arguments) -> startCheck()), unused(ExecutionStore.class));
        BatchItemResolver resolver = new BatchItemResolver(
                new SavedScriptRunService(unused(ScriptStore.class), submissions, InstantSource.system()),
                new CapabilityRunService(
                        unused(CapabilityStore.class),
                        unused(JsonSchemaValidator.class),
                        submissions,
                        new CapabilityPreparer(
                                CapabilitySandboxPolicy.WORKERS_ONLY, RequiredToolCheck.NONE, VariablePinner.NONE)),
                CALLER);
        BatchRequest.BatchRequestEntry entry = new BatchRequest.BatchRequestEntry(
                new BatchRequest.BatchRequestItem.SubmissionItem(submission), Optional.empty());
        BatchValidator items =
                new BatchValidator(new FakeItemSource(count, Collections.nCopies(count, entry)), coalescing, false);

        items.validate(submissions, resolver, CALLER);

        assertThat(pendingChecks).isZero();
        assertThat(items.countRuns()).isEqualTo(count);
    }

    @Test
    void numberOfItemsThatAreCheckedAtTheSameTimeIsBounded() {
        validate(200, TYPED);

        assertThat(maxPendingChecks).isEqualTo(64);
    }

    @ParameterizedTest
    @ValueSource(strings = {"code", "args", "context"})
    void lengthOfItemsThatAreCheckedAtTheSameTimeIsBounded(String longMember) {
        Json object = new Json("{\"a\":\"" + LONG_TEXT + "\"}");

        validate(
                30,
                submission(
                        ScriptLanguage.JAVASCRIPT,
                        longMember.equals("code") ? "//" + LONG_TEXT : "return 1",
                        longMember.equals("args") ? object : Json.EMPTY_OBJECT,
                        longMember.equals("context") ? object : Json.EMPTY_OBJECT));

        assertThat(maxPendingChecks).isEqualTo(6);
    }

    @Test
    void equalItemsNeedNoQuota() {
        BatchValidator items = validator("a", "b", "a", "c", "b");

        assertThat(items.countRuns()).isEqualTo(3);
        assertThat(items.countAnswered()).isEqualTo(2);
        items.refuseBeyond(3, QUOTA);
        assertThat(items.problems()).isEmpty();
    }

    @Test
    void itemsAreRefusedTogetherWithTheItemThatAnswersThem() {
        BatchValidator items = validator("a", "b", "a", "c", "b");

        items.refuseBeyond(1, QUOTA);

        assertThat(items.problems().keySet()).isEqualTo(Set.copyOf(List.of(1, 3, 4)));
        assertThat(items.countRuns()).isEqualTo(1);
        assertThat(items.countAnswered()).isEqualTo(1);
    }

    @Test
    void failedCheckOfAnAcceptedScriptRefusesTheBatchAndNotTheItem() {
        SubmissionResult failed = new SubmissionResult.InvalidScriptSyntax("the worker was lost", 0, 0, "");
        SubmissionResult invalid = new SubmissionResult.InvalidScriptSyntax("unexpected token", 1, 1, "");

        BatchValidator known = validator(true, "a", "b");
        known.addResult(0, Optional.empty(), Optional.of(failed));
        assertThat(known.problems()).isEmpty();
        assertThat(known.unavailable()).contains(new SubmissionResult.ScriptCheckUnavailable("the worker was lost"));

        BatchValidator changed = validator(true, "a", "b");
        changed.addResult(0, Optional.empty(), Optional.of(invalid));
        assertThat(changed.problems()).containsOnlyKeys(0);
        assertThat(changed.unavailable()).isEmpty();

        BatchValidator unknown = validator("a", "b");
        unknown.addResult(0, Optional.empty(), Optional.of(failed));
        assertThat(unknown.problems()).containsOnlyKeys(0);
        assertThat(unknown.unavailable()).isEmpty();
    }

    @Test
    void givenLanguageIsKept() {
        BatchValidator items = validator("a");

        assertThat(items.withLanguage(0, TYPED)).isEqualTo(TYPED);
        assertThat(items.withLanguage(0, UNSPECIFIED).language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
    }

    @Test
    void itemWithoutLanguageHasTheLanguageThatItsCheckFound() {
        BatchValidator items = validator("a", "b");

        items.addCheck(
                1,
                Optional.empty(),
                BatchValidator.ItemCheck.of(new SubmissionService.CheckedSubmission(TYPED, Optional.empty())));

        assertThat(items.withLanguage(0, UNSPECIFIED).language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
        assertThat(items.withLanguage(1, UNSPECIFIED)).isEqualTo(TYPED);
        assertThat(items.countRuns()).isEqualTo(2);
    }

    @Test
    void itemsWithProblemsOfTheirOwnNeedNoQuota() {
        BatchValidator items = validator("a", "b", "c");
        items.problems().put(0, new Json("\"invalid\""));

        items.refuseBeyond(1, QUOTA);

        assertThat(items.problems())
                .containsEntry(0, new Json("\"invalid\""))
                .containsEntry(2, new Json("\"quota\""))
                .hasSize(2);
    }
}
