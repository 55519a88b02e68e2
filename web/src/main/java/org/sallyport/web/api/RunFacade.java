package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.RerunService;
import org.sallyport.submission.RunSavedScriptRequest;
import org.sallyport.submission.SavedScriptRunService;
import org.sallyport.submission.Submission;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.TestRunService;
import org.sallyport.web.ProblemException;

/**
 * Application service for runs of capabilities, saved scripts and tests, and for re-runs, shared by REST and MCP.
 * Throws {@link ProblemException}, or fails the stage with it, if a request is refused. Thread-safe.
 */
@ApplicationScoped
public class RunFacade {
    @Inject
    CapabilityRunService capabilities;

    @Inject
    SavedScriptRunService scripts;

    @Inject
    RerunService reruns;

    @Inject
    TestRunService tests;

    @Inject
    ExecutionResponder responder;

    @Inject
    Configuration configuration;

    /** Submits a run of the capability that {@code body} names, in the form of {@code POST /executions}. */
    public CompletionStage<ExecutionId> runCapability(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        Optional<IdempotencyKey> idempotency = RequestParameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new IdempotencyKey(key, CanonicalJsonHash.of(body)));
        return capabilities
                .submit(caller, CapabilityReader.readRunRequest(new JsonMembers(body), idempotency))
                .thenApply(RunFacade::requireAccepted);
    }

    /** Submits a run of the saved script that {@code body} names, in the form of {@code POST /executions}. */
    public CompletionStage<ExecutionId> runSavedScript(
            Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        Optional<IdempotencyKey> idempotency = RequestParameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new IdempotencyKey(key, CanonicalJsonHash.of(body)));
        Optional<Duration> maxAge = CacheOptionsReader.extractMaxAge(body);
        RunSavedScriptRequest call = SavedScriptReader.readRunRequest(new JsonMembers(body), idempotency);
        Submission options = call.options();
        return scripts.submit(
                        caller,
                        new RunSavedScriptRequest(
                                call.name(),
                                call.integrity(),
                                options.withCacheOptions(options.cacheOptions().withMaxAge(maxAge))))
                .thenApply(RunFacade::requireAccepted);
    }

    /** Submits a re-run of an execution, in the form of {@code POST /executions/{id}/rerun}. */
    public CompletionStage<ExecutionId> rerun(
            Caller caller, ExecutionId original, ObjectNode body, Optional<String> idempotencyKey) {
        return reruns.submit(
                        caller,
                        original,
                        RerunReader.read(original, body, RequestParameters.idempotencyKey(idempotencyKey.orElse(null))))
                .thenApply(RunFacade::requireAccepted);
    }

    /** Submits the tests in {@code body}, in the form of {@code POST /tests}. */
    public CompletionStage<ExecutionId> runTests(Caller caller, ObjectNode body) {
        TestReader.TestRequest asked = TestReader.read(new JsonMembers(body), configuration);
        return tests.submit(caller, asked.implementation(), asked.tests()).thenApply(RunFacade::requireAccepted);
    }

    /** The current report of a test run. */
    public ObjectNode report(Caller caller, ExecutionId id) {
        Execution execution = responder.find(caller, id);
        return TestReport.of(execution, responder.represent(execution, 0, 0));
    }

    private static ExecutionId requireAccepted(SubmissionResult receipt) {
        if (receipt instanceof SubmissionResult.SubmissionAccepted accepted) {
            return accepted.id();
        }
        throw new ProblemException(SubmissionProblems.toProblem(receipt));
    }
}
