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
    private final OutputPrinter printer;

    ExecutionPoller(SallyportApiClient api, OutputTracker script) {
        this.api = api;
        this.output = script;
        this.printer = new OutputPrinter(api, script);
    }

    /** Returns the ended execution. */
    ApiExecution pollToEnd(String id) {
        ApiExecution execution = poll(id);
        while (!execution.isFinished()) {
            execution = poll(id);
        }
        printer.printRemaining(execution);
        return execution;
    }

    private ApiExecution poll(String id) {
        ApiExecution execution =
                CliRetryPolicy.retry(() -> api.execution(id, POLL_WAIT, output.outputOffset(), output.errorOffset()));
        if (output.isStreaming()) {
            output.noteApprovalWait(execution);
            printer.print(execution);
        }
        return execution;
    }
}
