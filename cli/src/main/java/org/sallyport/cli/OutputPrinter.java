package org.sallyport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.sallyport.cli.api.ApiExecution;
import org.sallyport.cli.api.SallyportApiClient;
import org.sallyport.cli.terminal.Terminal;

/** Prints the stored output of an execution, both streams in the order in which the script wrote them. */
final class OutputPrinter {
    private final SallyportApiClient api;
    private final OutputTracker output;

    OutputPrinter(SallyportApiClient api, Terminal terminal) {
        this(api, new OutputTracker(terminal, true));
    }

    /** @param output tracks which part was printed before */
    OutputPrinter(SallyportApiClient api, OutputTracker output) {
        this.api = api;
        this.output = output;
    }

    /**
     * Prints the output in a response to a request with the current offsets. If it has text of both streams, this asks
     * the service for their order.
     */
    void print(ApiExecution execution) {
        if (!output.isStreaming() || !output.isMixed(execution)) {
            output.show(execution);
            return;
        }
        List<JsonNode> pieces = pieces(execution.id());
        while (!pieces.isEmpty()) {
            pieces.forEach(output::showPiece);
            pieces = pieces(execution.id());
        }
    }

    private List<JsonNode> pieces(String id) {
        return CliRetryPolicy.retry(() -> api.outputPieces(id, output.outputOffset(), output.errorOffset()));
    }
}
