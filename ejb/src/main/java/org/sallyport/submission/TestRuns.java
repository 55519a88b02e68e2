package org.sallyport.submission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.sandbox.Language;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.TestScript;

/** Accepts tests of a script: an execution like any other, whose result is their report. Thread-safe. */
public final class TestRuns {
    private final Reception reception;

    public TestRuns(Reception reception) {
        this.reception = reception;
    }

    /**
     * As {@link Reception#accept}; what cannot be read says whether it is the tests.
     *
     * @param implementation what is tested, and how it is to be run
     * @param tests code that calls {@code test}, in the language of the implementation
     */
    public CompletionStage<Receipt> accept(Caller caller, Submission implementation, String tests) {
        whole("code", implementation.code());
        whole("tests", tests);
        Language language = Language.valueOf(implementation.language().name());
        TestScript both = new TestScript(new Script(implementation.code(), language), new Script(tests, language));
        return reception
                .accept(caller, implementation.with(both.script().code()))
                .thenCompose(receipt -> receipt instanceof Receipt.BadSyntax bad
                        ? blamed(caller, implementation, bad)
                        : CompletableFuture.completedFuture(receipt));
    }

    private CompletionStage<Receipt> blamed(Caller caller, Submission implementation, Receipt.BadSyntax bad) {
        return reception
                .check(caller, implementation)
                .thenApply(own ->
                        new Receipt.BadSyntax(bad.message(), bad.line(), bad.column(), bad.codeFrame(), own.isEmpty()));
    }

    private static void whole(String member, String code) {
        if (TestScript.marks(code)) {
            throw new InvalidSubmissionException(
                    member,
                    "must not hold the line '//# sallyport-tests', which stands between a script and its tests");
        }
    }
}
