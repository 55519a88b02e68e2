package org.sallyport.cli;

import java.util.Optional;
import org.sallyport.cli.api.EventStream;
import org.sallyport.cli.api.EventStream.Event;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.api.UnreachableException;
import org.sallyport.cli.terminal.Terminal;

/**
 * Follows one execution by its events to its end and passes on what its script prints, each character once. A stream that
 * breaks is taken up again behind the last event that was heard, at whichever node answers then.
 */
final class Follower {
    private static final int TOO_MANY_REQUESTS = 429;

    private final SallyportApi api;
    private final Script script;
    private final Patience patience = new Patience();
    private Optional<String> lastEvent = Optional.empty();

    /**
     * @param show whether the streams are shown while they grow
     */
    Follower(SallyportApi api, Terminal terminal, boolean show) {
        this.api = api;
        this.script = new Script(terminal, show);
    }

    /** The execution at its end. */
    Execution toEnd(String id) {
        if (!script.visible()) {
            return new Poller(api, script).toEnd(id);
        }
        while (true) {
            try (EventStream events = api.events(id, lastEvent)) {
                return heard(id, events);
            } catch (UnreachableException e) {
                patience.orThrow(e);
            } catch (ProblemException e) {
                if (e.problem().status() == TOO_MANY_REQUESTS) {
                    // There is no stream left for us, but there are answers.
                    return new Poller(api, script).toEnd(id);
                }
                patience.orThrow(e);
            }
            patience.afterBreak();
        }
    }

    /** The end, as the stream tells of it. */
    private Execution heard(String id, EventStream events) {
        while (true) {
            Event event = events.next();
            patience.renew();
            lastEvent = Optional.of(event.id()).filter(value -> !value.isEmpty());
            switch (event.name()) {
                case "output" -> script.show(false, event.data());
                case "error-output" -> script.show(true, event.data());
                case "state" -> {
                    if (Json.text(event.data(), "state").equals("WAITING")) {
                        script.tellWhoIsAsked(api.execution(id));
                    }
                }
                case "result" -> {
                    return new Execution(event.data());
                }
                default -> {}
            }
        }
    }
}
