package org.sallyport.cli;

import java.time.Duration;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.SallyportApiClient;

/**
 * Asks for one execution until it has ended, where its events are not to be had or nobody looks. A connection that breaks
 * is taken up again for a while: the execution does not depend on anyone watching.
 */
final class ExecutionPoller {
    private static final Duration POLL_WAIT = Duration.ofSeconds(1);

    private final SallyportApiClient api;
    private final OutputTracker output;

    ExecutionPoller(SallyportApiClient api, OutputTracker script) {
        this.api = api;
        this.output = script;
    }

    /** The execution at its end. */
    ApiExecution pollToEnd(String id) {
        ApiExecution execution = poll(id, POLL_WAIT);
        while (!execution.isFinished()) {
            execution = poll(id, POLL_WAIT);
        }
        // What did not fit into the last answer, if the service cuts long ones.
        while (output.hasMore(execution)) {
            long before = output.shownLength();
            execution = poll(id, Duration.ZERO);
            if (output.shownLength() == before) {
                break;
            }
        }
        return execution;
    }

    private ApiExecution poll(String id, Duration wait) {
        ApiExecution execution =
                CliRetryPolicy.retry(() -> api.execution(id, wait, output.outputOffset(), output.errorOffset()));
        output.show(execution);
        return execution;
    }
}
