package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.sallyport.cli.api.ApiJson;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.EventStream;
import org.sallyport.cli.api.EventStream.StreamEvent;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.api.ServiceUnreachableException;
import org.sallyport.cli.terminal.Terminal;
import org.sallyport.cli.terminal.TerminalTextEscaper;

/**
 * Follows the events of the tenant and prints each one once. After a broken connection it continues after the last
 * received event, at any node that answers.
 */
final class TenantEventFollower {
    private final SallyportApiClient api;
    private final Terminal terminal;
    private final boolean json;

    /** @param json whether each event is printed as one line of JSON */
    TenantEventFollower(SallyportApiClient api, Terminal terminal, boolean json) {
        this.api = api;
        this.terminal = terminal;
        this.json = json;
    }

    /**
     * Prints events until it has printed {@code count} of them.
     *
     * @param names names of the events; empty for all
     * @param after id of the event after which to begin; {@code ""} for events from now on
     */
    void follow(List<String> names, String after, long count) {
        CliRetryPolicy retryPolicy = new CliRetryPolicy();
        Optional<String> last = nonEmpty(after);
        long printed = 0;
        while (printed < count) {
            try (EventStream events = api.tenantEvents(names, last)) {
                retryPolicy.reset();
                try {
                    for (boolean open = true; open && printed < count; ) {
                        StreamEvent event = events.next();
                        printed += event.name().equals("event") ? 1 : 0;
                        print(event);
                        open = !event.name().equals("end");
                    }
                } finally {
                    last = events.lastId().isEmpty() ? last : nonEmpty(events.lastId());
                }
            } catch (ServiceUnreachableException e) {
                retryPolicy.throwUnlessRetryable(e);
                retryPolicy.pauseBeforeRetry();
            } catch (ApiProblemException e) {
                retryPolicy.throwUnlessRetryable(e);
                retryPolicy.pauseBeforeRetry();
            }
        }
    }

    private static Optional<String> nonEmpty(String id) {
        return Optional.of(id).filter(text -> !text.isEmpty());
    }

    private void print(StreamEvent event) {
        JsonNode data = event.data();
        switch (event.name()) {
            case "event" ->
                terminal.printResult(
                        json
                                ? ApiJson.compact(data)
                                : ApiJson.text(data, "at") + "  " + ApiJson.text(data, "seq") + "  "
                                        + TerminalTextEscaper.escapeLine(ApiJson.text(data, "name")) + "  "
                                        + TerminalTextEscaper.escapeLine(ApiJson.compact(data.path("payload"))));
            case "gap" ->
                terminal.printNote("Events " + ApiJson.text(data, "from") + " to " + ApiJson.text(data, "to")
                        + " were deleted before they could be read.");
            case "reset" ->
                terminal.printNote("The service has lost events up to " + ApiJson.text(data, "after")
                        + ", as after a restore. Continuing after event " + ApiJson.text(data, "last") + ".");
            case "end" ->
                terminal.printNote("The service ended the stream: "
                        + TerminalTextEscaper.escapeLine(ApiJson.text(data, "detail")) + ". Continuing.");
            default -> {}
        }
    }
}
