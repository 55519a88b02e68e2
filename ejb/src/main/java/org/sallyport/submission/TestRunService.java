package org.sallyport.submission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.sandbox.Script;
import org.sallyport.sandbox.SourceLanguage;
import org.sallyport.sandbox.TestScript;

/** Accepts tests of a script: an execution like any other, whose result is their report. Thread-safe. */
public final class TestRunService {
    private final SubmissionService reception;

    public TestRunService(SubmissionService reception) {
        this.reception = reception;
    }

    /**
     * As {@link SubmissionService#submit}; what cannot be read says whether it is the tests.
     *
     * @param implementation what is tested, and how it is to be run
     * @param tests code that calls {@code test}, in the language of the implementation
     */
    public CompletionStage<SubmissionResult> submit(Caller caller, Submission implementation, String tests) {
        requireNoTestMarker("code", implementation.code());
        requireNoTestMarker("tests", tests);
        SourceLanguage language =
                SourceLanguage.valueOf(implementation.language().name());
        TestScript both = new TestScript(new Script(implementation.code(), language), new Script(tests, language));
        return reception
                .submit(caller, implementation.withCode(both.toScript().code()))
                .thenCompose(receipt -> receipt instanceof SubmissionResult.InvalidScriptSyntax bad
                        ? attributeSyntaxError(caller, implementation, bad)
                        : CompletableFuture.completedFuture(receipt));
    }

    private CompletionStage<SubmissionResult> attributeSyntaxError(
            Caller caller, Submission implementation, SubmissionResult.InvalidScriptSyntax bad) {
        return reception
                .check(caller, implementation)
                .thenApply(own -> new SubmissionResult.InvalidScriptSyntax(
                        bad.message(), bad.line(), bad.column(), bad.codeFrame(), own.isEmpty()));
    }

    private static void requireNoTestMarker(String member, String code) {
        if (TestScript.containsSeparator(code)) {
            throw new InvalidSubmissionException(
                    member,
                    "must not hold the line '//# sallyport-tests', which stands between a script and its tests");
        }
    }
}
