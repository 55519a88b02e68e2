package org.sallyport.cli;

import java.time.Duration;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.SallyportApi;

/**
 * Asks for one execution until it has ended, where its events are not to be had or nobody looks. A connection that breaks
 * is taken up again for a while: the execution does not depend on anyone watching.
 */
final class Poller {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final SallyportApi api;
    private final Script script;

    Poller(SallyportApi api, Script script) {
        this.api = api;
        this.script = script;
    }

    /** The execution at its end. */
    Execution toEnd(String id) {
        Execution execution = step(id, POLL);
        while (!execution.finished()) {
            execution = step(id, POLL);
        }
        // What did not fit into the last answer, if the service cuts long ones.
        while (script.behind(execution)) {
            long before = script.shown();
            execution = step(id, Duration.ZERO);
            if (script.shown() == before) {
                break;
            }
        }
        return execution;
    }

    private Execution step(String id, Duration wait) {
        Execution execution =
                Patience.asking(() -> api.execution(id, wait, script.outputOffset(), script.errorOffset()));
        script.show(execution);
        return execution;
    }
}
