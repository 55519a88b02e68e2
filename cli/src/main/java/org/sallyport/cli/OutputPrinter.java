package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;

/**
 * Prints the stored output of an execution, both streams in the order in which the script wrote them. If the service
 * cannot return that order, prints the new text of standard output before the new text of error output.
 */
final class OutputPrinter {
    private static final int NOT_FOUND = 404;

    private final SallyportApiClient api;
    private final OutputTracker output;
    private boolean hasPieces = true;

    OutputPrinter(SallyportApiClient api, Terminal terminal) {
        this(api, new OutputTracker(terminal, true));
    }

    /** @param output tracks which part was printed before */
    OutputPrinter(SallyportApiClient api, OutputTracker output) {
        this.api = api;
        this.output = output;
    }

    /**
     * Prints the output in a response to a request with the current offsets. If it has text of both streams, sends one
     * request for their order, which may return only a part of the output.
     */
    void print(ApiExecution execution) {
        if (!output.isMixed(execution) || !printPieces(execution.id())) {
            output.show(execution);
        }
    }

    /** Prints the output in a response to a request with the current offsets, and all that the response left out. */
    void printAll(ApiExecution execution) {
        print(execution);
        printRemaining(execution);
    }

    /** Prints the output that is not printed yet, up to the lengths of both streams in the response. */
    void printRemaining(ApiExecution execution) {
        long before = -1;
        while (output.hasMore(execution) && output.shownLength() > before) {
            before = output.shownLength();
            if (!printPieces(execution.id())) {
                output.show(CliRetryPolicy.retry(() ->
                        api.execution(execution.id(), Duration.ZERO, output.outputOffset(), output.errorOffset())));
            }
        }
    }

    /** Returns false, and prints nothing, if the service returned no pieces after the current offsets. */
    private boolean printPieces(String id) {
        if (!hasPieces) {
            return false;
        }
        try {
            List<JsonNode> pieces =
                    CliRetryPolicy.retry(() -> api.outputPieces(id, output.outputOffset(), output.errorOffset()));
            pieces.forEach(output::showPiece);
            return !pieces.isEmpty();
        } catch (ApiProblemException e) {
            if (e.problem().status() != NOT_FOUND) {
                throw e;
            }
            // An older service has no pieces.
            hasPieces = false;
            return false;
        }
    }
}
