package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.sallyport.execution.Execution;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/** Maps pieces of output to JSON. Clients rely on the member names. */
public final class OutputPieceMapper {
    private OutputPieceMapper() {}

    /** Returns the name of a stream in events and notifications. */
    public static String stream(OutputKind kind) {
        return kind == OutputKind.OUT ? "output" : "error-output";
    }

    /** Returns the pieces with adjacent pieces of one stream joined; the time of the first one counts. */
    public static List<OutputChunk> joinAdjacent(List<OutputChunk> pieces) {
        List<OutputChunk> joined = new ArrayList<>();
        int start = 0;
        for (int i = 1; i <= pieces.size(); i++) {
            OutputChunk first = pieces.get(start);
            if (i < pieces.size()
                    && pieces.get(i).kind() == first.kind()
                    && pieces.get(i).sequence()
                            == pieces.get(i - 1).sequence()
                                    + pieces.get(i - 1).text().length()) {
                continue;
            }
            StringBuilder text = new StringBuilder();
            pieces.subList(start, i).forEach(piece -> text.append(piece.text()));
            joined.add(new OutputChunk(first.kind(), first.offset(), text.toString(), first.sequence(), first.at()));
            start = i;
        }
        return joined;
    }

    /** Maps one piece, without its stream. */
    static ObjectNode piece(OutputChunk piece) {
        return ExecutionMapper.object()
                .put("offset", piece.offset())
                .put("text", piece.text())
                .put("sequence", piece.sequence())
                .put("at", piece.at().toString());
    }

    /** Maps pieces of an execution's output, with the state and the lengths, which show whether more may follow. */
    static ObjectNode pieces(Execution execution, List<OutputChunk> pieces) {
        ObjectNode json = ExecutionMapper.object()
                .put("id", execution.id().toString())
                .put("state", execution.state().name());
        ArrayNode list = json.putArray("pieces");
        pieces.forEach(
                piece -> list.addObject().put("stream", stream(piece.kind())).setAll(piece(piece)));
        return json.put("outputLength", execution.outputLength())
                .put("errorOutputLength", execution.errorOutputLength())
                .put("truncated", execution.truncated());
    }
}
