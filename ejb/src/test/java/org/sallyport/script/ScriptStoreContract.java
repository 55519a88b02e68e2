package org.sallyport.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.CacheOptions;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.ErrorOrigin;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionOutcome;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.NewExecutionBuilder;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.journal.Journal;
import org.sallyport.journal.JournalBatch;
import org.sallyport.tool.Json;

/** Contract of {@link ScriptStore}, and of {@link Journal} where it saves scripts, for every implementation. */
public abstract class ScriptStoreContract {
    private static final String TENANT = "t\u0000";
    private static final int MAX_SCRIPTS = 5;

    protected abstract ScriptStore scripts();

    protected abstract ExecutionStore store();

    protected abstract Journal journal(int mostScripts);

    private static CacheOptions savingAs(String name) {
        return CacheOptions.NONE.withSaveAs(Optional.of(name));
    }

    private ClaimedExecution running(String tenant, String name, String code) {
        NewExecution execution = NewExecutionBuilder.anExecution()
                .tenant(tenant)
                .code(code)
                .cacheOptions(savingAs(name))
                .build();
        store().insert(execution);
        return store().claim(execution.id(), "node").orElseThrow();
    }

    private ExecutionId completed(String tenant, String name, String code) {
        ClaimedExecution claim = running(tenant, name, code);
        assertThat(claim.saveAs()).contains(name);
        finish(claim);
        return claim.fence().id();
    }

    private void finish(ClaimedExecution claim) {
        ExecutionOutcome outcome = new ExecutionOutcome.ExecutionCompleted(Json.NULL, claim.saveAs());
        assertThat(journal(MAX_SCRIPTS).finish(claim.fence(), outcome, JournalBatch.NONE))
                .contains(ExecutionState.COMPLETED);
    }

    private List<String> listNames(String search) {
        return scripts().list(TENANT, search, "", 100).stream()
                .map(ScriptSummary::name)
                .toList();
    }

    @Test
    void scriptOfACompletedExecutionIsSavedUnchanged() {
        String code = "// Adds \u0000 \uD800 Fees\nreturn 1";
        ExecutionId run = completed(TENANT, "fees", code);
        SavedScript kept = scripts().find(TENANT, "fees").orElseThrow();
        assertThat(kept.code()).isEqualTo(code);
        assertThat(kept.summary().description()).isEqualTo("Adds \u0000 \uD800 Fees");
        assertThat(kept.summary().lastRun()).isEqualTo(run);
        assertThat(kept.summary().savedBy()).isEqualTo("key-1");
        assertThat(kept.summary().language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
        assertThat(kept.summary().hash()).isEqualTo(ScriptHash.of(ScriptLanguage.JAVASCRIPT, code));
        assertThat(scripts().findNameByHash(TENANT, kept.summary().hash())).contains("fees");
        assertThat(scripts().list(TENANT, "", "", 10)).containsExactly(kept.summary());
    }

    @Test
    void tenantsHaveSeparateScripts() {
        completed(TENANT, "fees", "return 1");
        assertThat(scripts().find("u", "fees")).isEmpty();
        assertThat(scripts().findNameByHash("u", ScriptHash.of(ScriptLanguage.JAVASCRIPT, "return 1")))
                .isEmpty();
        assertThat(scripts().list("u", "", "", 10)).isEmpty();
        assertThat(scripts().delete("u", "fees")).isFalse();
        assertThat(scripts().deleteAll("u")).isZero();
        completed("u", "fees", "return 2");
        assertThat(scripts().find("u", "fees").map(SavedScript::code)).contains("return 2");
        assertThat(scripts().find(TENANT, "fees").map(SavedScript::code)).contains("return 1");
    }

    @Test
    void scriptOfAnUnsuccessfulExecutionIsNotSaved() {
        ClaimedExecution failing = running(TENANT, "failing", "return 1");
        ExecutionOutcome failed = new ExecutionOutcome.ExecutionFailed(
                new ExecutionError("thrown", ErrorOrigin.SCRIPT, "no", 1, 1, "", Optional.empty(), 0));
        assertThat(journal(MAX_SCRIPTS).finish(failing.fence(), failed, JournalBatch.NONE))
                .contains(ExecutionState.FAILED);
        ClaimedExecution cancelled = running(TENANT, "cancelled", "return 2");
        store().cancel(TENANT, cancelled.fence().id());
        assertThat(journal(MAX_SCRIPTS)
                        .finish(
                                cancelled.fence(),
                                new ExecutionOutcome.ExecutionCompleted(Json.NULL, cancelled.saveAs()),
                                JournalBatch.NONE))
                .contains(ExecutionState.CANCELLED);
        ClaimedExecution lost = running(TENANT, "lost", "return 3");
        assertThat(journal(MAX_SCRIPTS)
                        .finish(
                                new org.sallyport.execution.FencingToken(
                                        lost.fence().id(), lost.fence().attempt() + 1),
                                new ExecutionOutcome.ExecutionCompleted(Json.NULL, lost.saveAs()),
                                JournalBatch.NONE))
                .isEmpty();
        assertThat(listNames("")).isEmpty();
    }

    @Test
    void sameContentIsSavedOnceAndNamesAreNotReassigned() {
        completed(TENANT, "fees", "return 1");
        completed(TENANT, "other", "return 1\r\n");
        assertThat(listNames("")).containsExactly("fees");
        completed(TENANT, "fees", "return 2");
        String generatedName =
                "fees-" + ScriptHash.of(ScriptLanguage.JAVASCRIPT, "return 2").substring(7, 15);
        assertThat(listNames("")).containsExactly("fees", generatedName);
        assertThat(scripts().find(TENANT, "fees").map(SavedScript::code)).contains("return 1");
    }

    @Test
    void generatedNameUsesTheFirstWords() {
        completed(TENANT, CacheOptions.GENERATED_NAME, "// Adds the fee.\nreturn 1");
        completed(TENANT, CacheOptions.GENERATED_NAME, "return 2");
        assertThat(listNames("")).hasSize(2).first().asString().startsWith("adds-the-fee-");
        assertThat(listNames("").get(1)).startsWith("script-");
    }

    @Test
    void concurrentCompletionsSaveAScriptOnce() throws Exception {
        List<ClaimedExecution> same = IntStream.range(0, 8)
                .mapToObj(i -> running(TENANT, "name-" + i, "return 'same'"))
                .toList();
        ConcurrencyTestUtil.runConcurrently(8, i -> {
            finish(same.get(i));
            return i;
        });
        assertThat(listNames("")).hasSize(1);
        assertThat(same)
                .allSatisfy(claim -> assertThat(savedScript(claim.fence().id()))
                        .contains(listNames("").get(0)));
        List<ClaimedExecution> others = IntStream.range(0, 4)
                .mapToObj(i -> running(TENANT, "wanted", "return " + i))
                .toList();
        ConcurrencyTestUtil.runConcurrently(4, i -> {
            finish(others.get(i));
            return i;
        });
        for (ClaimedExecution claim : others) {
            assertThat(store().find(TENANT, claim.fence().id()).map(Execution::state))
                    .contains(ExecutionState.COMPLETED);
            // The name is that of this script, or absent if a concurrent execution prevented the save.
            savedScript(claim.fence().id())
                    .ifPresent(name -> assertThat(scripts().find(TENANT, name).map(SavedScript::code))
                            .contains(claim.code()));
        }
        assertThat(listNames("wanted")).contains("wanted").hasSizeBetween(3, 4);
    }

    @Test
    void leastRecentlyUsedScriptIsEvicted() {
        completed("u", "of-another", "return 0");
        for (int i = 0; i < MAX_SCRIPTS + 2; i++) {
            completed(TENANT, "n" + i, "return " + i);
        }
        assertThat(listNames("")).containsExactly("n2", "n3", "n4", "n5", "n6");
        assertThat(scripts().find("u", "of-another")).isPresent();
    }

    @Test
    void scriptsAreSearchedByWordsPageByPage() {
        completed(TENANT, "mail.send", "// Writes Letters\nreturn 1");
        completed(TENANT, "fees.add", "// Adds % Fees\nreturn 2");
        completed(TENANT, "fees.remove", "return 3");
        assertThat(listNames("")).containsExactly("fees.add", "fees.remove", "mail.send");
        assertThat(scripts().list(TENANT, "", "fees.add", 1).stream().map(ScriptSummary::name))
                .containsExactly("fees.remove");
        assertThat(listNames("LETTERS")).containsExactly("mail.send");
        assertThat(listNames("fees")).containsExactly("fees.add", "fees.remove");
        assertThat(listNames("%")).containsExactly("fees.add");
        assertThat(listNames("_")).isEmpty();
        assertThat(listNames("fees\u0000")).isEmpty();
    }

    @Test
    void scriptsCanBeDeleted() {
        completed(TENANT, "a", "return 1");
        completed(TENANT, "b", "return 2");
        completed(TENANT, "c", "return 3");
        assertThat(scripts().delete(TENANT, "a")).isTrue();
        assertThat(scripts().delete(TENANT, "a")).isFalse();
        assertThat(scripts().find(TENANT, "a")).isEmpty();
        assertThat(scripts().find(TENANT, "\u0000")).isEmpty();
        assertThat(scripts().deleteAll(TENANT)).isEqualTo(2);
        assertThat(listNames("")).isEmpty();
        completed(TENANT, "a", "return 1");
        scripts().markUsed(TENANT, "a");
        assertThat(listNames("")).containsExactly("a");
    }

    @Test
    void executionNamesItsSavedScript() {
        NewExecution execution = NewExecutionBuilder.anExecution()
                .tenant(TENANT)
                .cacheOptions(CacheOptions.NONE.withSavedScript("fees"))
                .build();
        store().insert(execution);
        assertThat(store().find(TENANT, execution.id()).orElseThrow().savedScriptName())
                .contains("fees");
        assertThat(savedScript(execution.id())).contains("fees");
        assertThat(store().claim(execution.id(), "node").orElseThrow().saveAs()).isEmpty();
    }

    @Test
    void executionHasTheNameUnderWhichItsScriptIsSaved() {
        ExecutionId generated = completed(TENANT, CacheOptions.GENERATED_NAME, "// Adds the fee.\nreturn 1");
        String name = listNames("").get(0);
        assertThat(savedScript(generated)).contains(name);
        assertThat(savedScript(completed(TENANT, "other", "// Adds the fee.\nreturn 1")))
                .contains(name);
        assertThat(savedScript(completed(TENANT, "fees", "return 2"))).contains("fees");
        assertThat(savedScript(completed(TENANT, "fees", "return 3")))
                .contains("fees-"
                        + ScriptHash.of(ScriptLanguage.JAVASCRIPT, "return 3").substring(7, 15));
    }

    @Test
    void executionWithoutSavedScriptHasNoNameOfOne() {
        ClaimedExecution claim = running(TENANT, "fees", "return 1");
        assertThat(savedScript(claim.fence().id())).isEmpty();
        ExecutionError error = new ExecutionError("thrown", ErrorOrigin.SCRIPT, "no", 1, 1, "", Optional.empty(), 0);
        journal(MAX_SCRIPTS).finish(claim.fence(), new ExecutionOutcome.ExecutionFailed(error), JournalBatch.NONE);
        assertThat(savedScript(claim.fence().id())).isEmpty();
    }

    private Optional<String> savedScript(ExecutionId id) {
        Optional<String> name = store().find(TENANT, id).orElseThrow().summary().savedScript();
        assertThat(store().list(TENANT, new ExecutionFilter(Set.of()), Optional.empty(), 100).items().stream()
                        .filter(item -> item.id().equals(id))
                        .findFirst()
                        .orElseThrow()
                        .savedScript())
                .isEqualTo(name);
        return name;
    }
}
