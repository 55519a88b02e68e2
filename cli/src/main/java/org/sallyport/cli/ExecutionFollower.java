package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.EventStream;
import org.sallyport.cli.api.EventStream.StreamEvent;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.api.ServiceUnreachableException;
import org.sallyport.cli.terminal.Terminal;

/**
 * Follows the events of one execution to its end and shows the output of its script, each character once. After a
 * broken connection it continues after the last received event, at any node that answers.
 */
final class ExecutionFollower {
    private static final int TOO_MANY_REQUESTS = 429;

    private final SallyportApiClient api;
    private final OutputTracker output;
    private final CliRetryPolicy retryPolicy = new CliRetryPolicy();
    private Optional<String> lastEvent = Optional.empty();

    /** @param show whether the streams are shown while they grow */
    ExecutionFollower(SallyportApiClient api, Terminal terminal, boolean show) {
        this.api = api;
        this.output = new OutputTracker(terminal, show);
    }

    /** Returns the ended execution. */
    ApiExecution followToEnd(String id) {
        if (!output.isStreaming()) {
            return new ExecutionPoller(api, output).pollToEnd(id);
        }
        while (true) {
            try (EventStream events = api.events(id, lastEvent)) {
                return readToEnd(id, events);
            } catch (ServiceUnreachableException e) {
                retryPolicy.throwUnlessRetryable(e);
            } catch (ApiProblemException e) {
                if (e.problem().status() == TOO_MANY_REQUESTS) {
                    // No event stream is available, but polling works.
                    return new ExecutionPoller(api, output).pollToEnd(id);
                }
                retryPolicy.throwUnlessRetryable(e);
            }
            retryPolicy.pauseBeforeRetry();
        }
    }

    /** Returns the ended execution from the event stream. */
    private ApiExecution readToEnd(String id, EventStream events) {
        while (true) {
            StreamEvent event = events.next();
            retryPolicy.reset();
            lastEvent = Optional.of(event.id()).filter(value -> !value.isEmpty());
            switch (event.name()) {
                case "output" -> output.show(false, event.data());
                case "error-output" -> output.show(true, event.data());
                case "state" -> {
                    if (ApiJson.text(event.data(), "state").equals("WAITING")) {
                        output.noteApprovalWait(api.execution(id));
                    }
                }
                case "result" -> {
                    return new ApiExecution(event.data());
                }
                default -> {}
            }
        }
    }
}
