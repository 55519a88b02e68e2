package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

class BatchValidatorTest {
    private static final SubmissionResult QUOTA = new SubmissionResult.SubmissionInProgress();

    private static final Submission TYPED = new Submission(
            "return 1",
            ScriptLanguage.TYPESCRIPT,
            Json.EMPTY_OBJECT,
            Json.EMPTY_OBJECT,
            RequestedLimits.NONE,
            Optional.empty(),
            Map.of(),
            4,
            DebugMode.NONE,
            Durability.JOURNAL,
            Optional.empty(),
            Optional.empty());
    private static final Submission UNSPECIFIED = TYPED.withLanguage(ScriptLanguage.UNSPECIFIED);

    private final BatchCoalescing coalescing = BatchCoalescing.none(new Caller("key-1", "acme", Set.of()));

    /** A validator of items with these keys. */
    private BatchValidator validator(String... keys) {
        return validator(false, keys);
    }

    private BatchValidator validator(boolean scriptsWereAccepted, String... keys) {
        IntStream.range(0, keys.length).forEach(index -> coalescing.add(index, keys[index]));
        return new BatchValidator(
                new BatchRequest.BatchItemSource() {
                    @Override
                    public int count() {
                        return keys.length;
                    }

                    @Override
                    public Iterator<BatchRequest.BatchRequestEntry> read() {
                        return Collections.emptyIterator();
                    }

                    @Override
                    public Json problem(int index, SubmissionResult refusal) {
                        return new Json("\"quota\"");
                    }

                    @Override
                    public Json problem(int index, InvalidSubmissionException exception) {
                        throw new AssertionError(exception);
                    }
                },
                coalescing,
                scriptsWereAccepted);
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
