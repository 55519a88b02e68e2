package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.EventStream;
import org.sallyport.cli.api.EventStream.StreamEvent;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.api.ServiceUnreachableException;
import org.sallyport.cli.terminal.Terminal;

/** Follows one execution and prints each of its events as a line of JSON, for programs. */
final class EventLinePrinter {
    private final SallyportApiClient api;
    private final Terminal terminal;

    EventLinePrinter(SallyportApiClient api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /** Prints the events until the execution has ended. Returns the ended execution. */
    ApiExecution followToEnd(String id) {
        CliRetryPolicy retryPolicy = new CliRetryPolicy();
        Optional<String> last = Optional.empty();
        while (true) {
            try (EventStream events = api.events(id, last)) {
                while (true) {
                    StreamEvent event = events.next();
                    retryPolicy.reset();
                    last = Optional.of(event.id());
                    ObjectNode line = ApiJson.object().put("id", event.id()).put("event", event.name());
                    terminal.printResult(ApiJson.compact(line.set("data", event.data())));
                    if (event.name().equals("result")) {
                        return new ApiExecution(event.data());
                    }
                }
            } catch (ServiceUnreachableException e) {
                retryPolicy.throwUnlessRetryable(e);
            } catch (ApiProblemException e) {
                retryPolicy.throwUnlessRetryable(e);
            }
            retryPolicy.pauseBeforeRetry();
        }
    }
}
