package org.sallyport.submission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;

/** Accepts test runs of a script: an ordinary execution whose result is the test report. Thread-safe. */
public final class TestRunService {
    /** Tests without a syntax error. */
    private static final String VALID_TESTS = "test('none', () => {});";

    private final SubmissionService reception;

    public TestRunService(SubmissionService reception) {
        this.reception = reception;
    }

    /**
     * Behaves like {@link SubmissionService#submit}; a syntax error says whether it is in the tests.
     *
     * @param implementation the script to test and the options of its run; its code may be empty
     * @param tests code that calls {@code test}, in the language of the implementation
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, Submission implementation, String tests) {
        requireNoTestMarker("code", implementation.code());
        requireNoTestMarker("tests", tests);
        return reception
                .submit(caller, withTests(implementation, tests))
                .thenCompose(receipt -> receipt instanceof SubmissionResult.InvalidScriptSyntax bad
                        ? attributeSyntaxError(caller, implementation, bad)
                        : CompletableFuture.completedFuture(receipt));
    }

    private CompletionStage<SubmissionResult> attributeSyntaxError(
            Caller caller, Submission implementation, SubmissionResult.InvalidScriptSyntax bad) {
        return reception
                .check(caller, withTests(implementation, VALID_TESTS))
                .thenApply(own -> new SubmissionResult.InvalidScriptSyntax(
                        bad.message(), bad.line(), bad.column(), bad.codeFrame(), own.isEmpty()));
    }

    private static Submission withTests(Submission implementation, String tests) {
        SourceLanguage language =
                SourceLanguage.valueOf(implementation.language().name());
        TestScript both = new TestScript(new Script(implementation.code(), language), new Script(tests, language));
        return implementation.withCode(both.toScript().code());
    }

    private static void requireNoTestMarker(String member, String code) {
        if (TestScript.containsSeparator(code)) {
            throw new InvalidSubmissionException(
                    member, "must not contain the line '//# sallyport-tests', which separates a script from its tests");
        }
    }
}
