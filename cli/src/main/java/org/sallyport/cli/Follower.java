package org.sallyport.cli;

import java.time.Duration;
import org.sallyport.cli.api.Execution;
import org.sallyport.cli.api.Json;
import org.sallyport.cli.api.ProblemException;
import org.sallyport.cli.api.SallyportApi;
import org.sallyport.cli.api.UnreachableException;
import org.sallyport.cli.terminal.Terminal;

/**
 * Follows one execution to its end and passes on what its script prints, each character once. A connection that breaks is
 * taken up again for a while: the execution does not depend on anyone watching.
 */
final class Follower {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int BROKEN_IN_A_ROW = 20;
    private static final Duration AFTER_BREAK = Duration.ofMillis(500);

    private final SallyportApi api;
    private final Terminal terminal;
    private final boolean show;
    private long outputOffset;
    private long errorOffset;
    private boolean asking;

    /**
     * @param show whether the streams are shown while they grow
     */
    Follower(SallyportApi api, Terminal terminal, boolean show) {
        this.api = api;
        this.terminal = terminal;
        this.show = show;
    }

    /** The execution at its end. */
    Execution toEnd(String id) {
        Execution execution = step(id, POLL);
        while (!execution.finished()) {
            execution = step(id, POLL);
        }
        // What did not fit into the last answer, if the service cuts long ones.
        while (show && behind(execution)) {
            long before = outputOffset + errorOffset;
            execution = step(id, Duration.ZERO);
            if (outputOffset + errorOffset == before) {
                break;
            }
        }
        return execution;
    }

    private Execution step(String id, Duration wait) {
        Execution execution = poll(id, wait);
        if (show) {
            tellWhoIsAsked(execution);
            Execution.Chunk output = execution.output();
            Execution.Chunk errorOutput = execution.errorOutput();
            terminal.scriptOutput(output.text());
            terminal.scriptErrorOutput(errorOutput.text());
            outputOffset = output.next(outputOffset);
            errorOffset = errorOutput.next(errorOffset);
        }
        return execution;
    }

    /** Once each time: whoever watches is to know that nothing happens until somebody acts. */
    private void tellWhoIsAsked(Execution execution) {
        boolean asks = Json.text(execution.json().path("waitingFor"), "reason").equals("approval");
        if (asks && !asking) {
            terminal.note("Waits for a person: sallyport approvals");
        }
        asking = asks;
    }

    private Execution poll(String id, Duration wait) {
        for (int broken = 1; ; broken++) {
            try {
                return api.execution(id, wait, outputOffset, errorOffset);
            } catch (UnreachableException e) {
                if (broken == BROKEN_IN_A_ROW || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            } catch (ProblemException e) {
                if (broken == BROKEN_IN_A_ROW || e.problem().status() < 500) {
                    throw e;
                }
            }
            pause();
        }
    }

    private boolean behind(Execution execution) {
        return execution.output().total().orElse(0) > outputOffset
                || execution.errorOutput().total().orElse(0) > errorOffset;
    }

    private static void pause() {
        try {
            Thread.sleep(AFTER_BREAK.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
