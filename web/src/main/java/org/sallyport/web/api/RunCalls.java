package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.sallyport.access.Caller;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.Execution;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.submission.Receipt;
import org.sallyport.submission.TestRuns;
import org.sallyport.web.ProblemException;

/**
 * What callers run besides scripts of their own, whichever door they came by: capabilities and tests. What is not to be is a
 * {@link ProblemException}, thrown or as the failure of the stage. Thread-safe.
 */
@ApplicationScoped
public class RunCalls {
    @Inject
    CapabilityRuns capabilities;

    @Inject
    TestRuns tests;

    @Inject
    ExecutionAnswers answers;

    @Inject
    Configuration configuration;

    /** Accepts a run of the capability that {@code body} names, as the body of {@code POST /executions} does. */
    public CompletionStage<ExecutionId> capability(Caller caller, ObjectNode body, Optional<String> idempotencyKey) {
        Optional<Idempotency> idempotency = Parameters.idempotencyKey(idempotencyKey.orElse(null))
                .map(key -> new Idempotency(key, StrictJson.sha256(body.toString())));
        return capabilities
                .accept(caller, CapabilityReader.call(new Members(body), idempotency))
                .thenApply(RunCalls::accepted);
    }

    /** Accepts the tests that {@code body} holds, as the body of {@code POST /tests} does. */
    public CompletionStage<ExecutionId> tests(Caller caller, ObjectNode body) {
        TestReader.Asked asked = TestReader.read(new Members(body), configuration);
        return tests.accept(caller, asked.implementation(), asked.tests()).thenApply(RunCalls::accepted);
    }

    /** The report of tests as it is now. */
    public ObjectNode report(Caller caller, ExecutionId id) {
        Execution execution = answers.find(caller, id);
        return TestReport.of(execution, answers.represent(execution, 0, 0));
    }

    private static ExecutionId accepted(Receipt receipt) {
        if (receipt instanceof Receipt.Accepted accepted) {
            return accepted.id();
        }
        throw new ProblemException(ReceiptProblems.of(receipt));
    }
}
