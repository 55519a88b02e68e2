package org.sallyport.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.AnExecution;
import org.sallyport.execution.Claim;
import org.sallyport.execution.Culprit;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionError;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.NewExecution;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Reuse;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.execution.Together;
import org.sallyport.journal.Entries;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;

/** What every store of kept scripts must do, and the journal with it. */
public abstract class ScriptStoreContract {
    private static final String TENANT = "t\u0000";
    private static final int MOST = 5;

    protected abstract ScriptStore scripts();

    protected abstract ExecutionStore store();

    protected abstract Journal journal(int mostScripts);

    private static Reuse as(String name) {
        return Reuse.NONE.keepingAs(Optional.of(name));
    }

    private Claim running(String tenant, String name, String code) {
        NewExecution execution = AnExecution.anExecution()
                .tenant(tenant)
                .code(code)
                .reuse(as(name))
                .build();
        store().accept(execution);
        return store().claim(execution.id(), "node").orElseThrow();
    }

    private ExecutionId completed(String tenant, String name, String code) {
        Claim claim = running(tenant, name, code);
        assertThat(claim.keepAs()).contains(name);
        finish(claim);
        return claim.fence().id();
    }

    private void finish(Claim claim) {
        Outcome outcome = new Outcome.Completed(Json.NULL, claim.keepAs());
        assertThat(journal(MOST).finish(claim.fence(), outcome, Entries.NONE)).contains(ExecutionState.COMPLETED);
    }

    private List<String> names(String search) {
        return scripts().list(TENANT, search, "", 100).stream()
                .map(ScriptSummary::name)
                .toList();
    }

    @Test
    void whatCompletesIsKeptAsItWas() {
        String code = "// Adds \u0000 \uD800 Fees\nreturn 1";
        ExecutionId run = completed(TENANT, "fees", code);
        KeptScript kept = scripts().find(TENANT, "fees").orElseThrow();
        assertThat(kept.code()).isEqualTo(code);
        assertThat(kept.summary().description()).isEqualTo("Adds \u0000 \uD800 Fees");
        assertThat(kept.summary().lastRun()).isEqualTo(run);
        assertThat(kept.summary().keeper()).isEqualTo("key-1");
        assertThat(kept.summary().language()).isEqualTo(ScriptLanguage.JAVASCRIPT);
        assertThat(kept.summary().hash()).isEqualTo(ScriptHash.of(ScriptLanguage.JAVASCRIPT, code));
        assertThat(scripts().name(TENANT, kept.summary().hash())).contains("fees");
        assertThat(scripts().list(TENANT, "", "", 10)).containsExactly(kept.summary());
    }

    @Test
    void anotherTenantHasAnother() {
        completed(TENANT, "fees", "return 1");
        assertThat(scripts().find("u", "fees")).isEmpty();
        assertThat(scripts().name("u", ScriptHash.of(ScriptLanguage.JAVASCRIPT, "return 1")))
                .isEmpty();
        assertThat(scripts().list("u", "", "", 10)).isEmpty();
        assertThat(scripts().delete("u", "fees")).isFalse();
        assertThat(scripts().clear("u")).isZero();
        completed("u", "fees", "return 2");
        assertThat(scripts().find("u", "fees").map(KeptScript::code)).contains("return 2");
        assertThat(scripts().find(TENANT, "fees").map(KeptScript::code)).contains("return 1");
    }

    @Test
    void whatDoesNotCompleteIsNotKept() {
        Claim failing = running(TENANT, "failing", "return 1");
        Outcome failed =
                new Outcome.Failed(new ExecutionError("thrown", Culprit.SCRIPT, "no", 1, 1, "", Optional.empty(), 0));
        assertThat(journal(MOST).finish(failing.fence(), failed, Entries.NONE)).contains(ExecutionState.FAILED);
        Claim cancelled = running(TENANT, "cancelled", "return 2");
        store().cancel(TENANT, cancelled.fence().id());
        assertThat(journal(MOST)
                        .finish(cancelled.fence(), new Outcome.Completed(Json.NULL, cancelled.keepAs()), Entries.NONE))
                .contains(ExecutionState.CANCELLED);
        Claim lost = running(TENANT, "lost", "return 3");
        assertThat(journal(MOST)
                        .finish(
                                new org.sallyport.execution.Fence(
                                        lost.fence().id(), lost.fence().attempt() + 1),
                                new Outcome.Completed(Json.NULL, lost.keepAs()),
                                Entries.NONE))
                .isEmpty();
        assertThat(names("")).isEmpty();
    }

    @Test
    void aContentIsKeptOnceAndANameIsNotTakenAway() {
        completed(TENANT, "fees", "return 1");
        completed(TENANT, "other", "return 1\r\n");
        assertThat(names("")).containsExactly("fees");
        completed(TENANT, "fees", "return 2");
        String made =
                "fees-" + ScriptHash.of(ScriptLanguage.JAVASCRIPT, "return 2").substring(7, 15);
        assertThat(names("")).containsExactly("fees", made);
        assertThat(scripts().find(TENANT, "fees").map(KeptScript::code)).contains("return 1");
    }

    @Test
    void aNameIsMadeOfTheFirstWords() {
        completed(TENANT, Reuse.ANY_NAME, "// Adds the fee.\nreturn 1");
        completed(TENANT, Reuse.ANY_NAME, "return 2");
        assertThat(names("")).hasSize(2).first().asString().startsWith("adds-the-fee-");
        assertThat(names("").get(1)).startsWith("script-");
    }

    @Test
    void thoseThatEndTogetherAllEndAndAreKeptOnce() throws Exception {
        List<Claim> same = IntStream.range(0, 8)
                .mapToObj(i -> running(TENANT, "name-" + i, "return 'same'"))
                .toList();
        Together.run(8, i -> {
            finish(same.get(i));
            return i;
        });
        assertThat(names("")).hasSize(1);
        List<Claim> others = IntStream.range(0, 4)
                .mapToObj(i -> running(TENANT, "wanted", "return " + i))
                .toList();
        Together.run(4, i -> {
            finish(others.get(i));
            return i;
        });
        for (Claim claim : others) {
            assertThat(store().find(TENANT, claim.fence().id()).map(Execution::state))
                    .contains(ExecutionState.COMPLETED);
        }
        assertThat(names("wanted")).contains("wanted").hasSizeBetween(3, 4);
    }

    @Test
    void theLeastRecentlyUsedMakesRoom() {
        completed("u", "of-another", "return 0");
        for (int i = 0; i < MOST + 2; i++) {
            completed(TENANT, "n" + i, "return " + i);
        }
        assertThat(names("")).containsExactly("n2", "n3", "n4", "n5", "n6");
        assertThat(scripts().find("u", "of-another")).isPresent();
    }

    @Test
    void scriptsAreFoundByTheirWordsPageByPage() {
        completed(TENANT, "mail.send", "// Writes Letters\nreturn 1");
        completed(TENANT, "fees.add", "// Adds % Fees\nreturn 2");
        completed(TENANT, "fees.remove", "return 3");
        assertThat(names("")).containsExactly("fees.add", "fees.remove", "mail.send");
        assertThat(scripts().list(TENANT, "", "fees.add", 1).stream().map(ScriptSummary::name))
                .containsExactly("fees.remove");
        assertThat(names("LETTERS")).containsExactly("mail.send");
        assertThat(names("fees")).containsExactly("fees.add", "fees.remove");
        assertThat(names("%")).containsExactly("fees.add");
        assertThat(names("_")).isEmpty();
        assertThat(names("fees\u0000")).isEmpty();
    }

    @Test
    void scriptsAreForgotten() {
        completed(TENANT, "a", "return 1");
        completed(TENANT, "b", "return 2");
        completed(TENANT, "c", "return 3");
        assertThat(scripts().delete(TENANT, "a")).isTrue();
        assertThat(scripts().delete(TENANT, "a")).isFalse();
        assertThat(scripts().find(TENANT, "a")).isEmpty();
        assertThat(scripts().find(TENANT, "\u0000")).isEmpty();
        assertThat(scripts().clear(TENANT)).isEqualTo(2);
        assertThat(names("")).isEmpty();
        completed(TENANT, "a", "return 1");
        scripts().used(TENANT, "a");
        assertThat(names("")).containsExactly("a");
    }

    @Test
    void anExecutionSaysWhichScriptItRuns() {
        NewExecution execution = AnExecution.anExecution()
                .tenant(TENANT)
                .reuse(Reuse.NONE.ofScript("fees"))
                .build();
        store().accept(execution);
        assertThat(store().find(TENANT, execution.id()).orElseThrow().script()).contains("fees");
        assertThat(store().claim(execution.id(), "node").orElseThrow().keepAs()).isEmpty();
    }
}
