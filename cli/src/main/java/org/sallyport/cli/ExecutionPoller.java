package org.sallyport.cli;

import java.time.Duration;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.SallyportApiClient;

/**
 * Polls one execution until it has ended, where events are unavailable or not needed. Retries broken connections for
 * some time; the execution does not depend on its observers.
 */
final class ExecutionPoller {
    private static final Duration POLL_WAIT = Duration.ofSeconds(1);

    private final SallyportApiClient api;
    private final OutputTracker output;

    ExecutionPoller(SallyportApiClient api, OutputTracker script) {
        this.api = api;
        this.output = script;
    }

    /** Returns the ended execution. */
    ApiExecution pollToEnd(String id) {
        ApiExecution execution = poll(id, POLL_WAIT);
        while (!execution.isFinished()) {
            execution = poll(id, POLL_WAIT);
        }
        // Fetches the rest when the service truncates long responses.
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
        if (output.isStreaming()) {
            output.noteApprovalWait(execution);
        }
        new OutputPrinter(api, output).print(execution);
        return execution;
    }
}
