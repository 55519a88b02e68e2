package org.sallyport.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.sallyport.cli.api.EventStream;
import org.sallyport.cli.api.EventStream.Event;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.api.UnreachableException;
import org.sallyport.cli.terminal.Terminal;

/** Follows one execution and prints its events, each as a line of JSON, for programs. */
final class EventLines {
    private final SallyportApi api;
    private final Terminal terminal;

    EventLines(SallyportApi api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /** The execution at its end. */
    Execution toEnd(String id) {
        Patience patience = new Patience();
        Optional<String> last = Optional.empty();
        while (true) {
            try (EventStream events = api.events(id, last)) {
                while (true) {
                    Event event = events.next();
                    patience.renew();
                    last = Optional.of(event.id());
                    ObjectNode line = Json.object().put("id", event.id()).put("event", event.name());
                    terminal.answer(Json.compact(line.set("data", event.data())));
                    if (event.name().equals("result")) {
                        return new Execution(event.data());
                    }
                }
            } catch (UnreachableException e) {
                patience.orThrow(e);
            } catch (ProblemException e) {
                patience.orThrow(e);
            }
            patience.afterBreak();
        }
    }
}
