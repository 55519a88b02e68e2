package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

/** Pieces of output as server-sent events, one event for each piece, in the order in which the script wrote them. */
final class OutputEvents {
    /** Maximum number of events. Bounds what is held for a client that does not read many short pieces. */
    static final int MAX_EVENTS = 500;

    private final EventPosition end;
    private final byte[] bytes;

    private OutputEvents(EventPosition end, byte[] bytes) {
        this.end = end;
        this.bytes = bytes;
    }

    /**
     * Encodes the first pieces of an execution's output behind a position.
     *
     * @param pieces in order
     */
    static OutputEvents of(ExecutionId execution, EventPosition start, List<OutputChunk> pieces) {
        EventPosition position = start;
        ByteArrayOutputStream events = new ByteArrayOutputStream();
        for (OutputChunk piece : pieces.subList(0, Math.min(pieces.size(), MAX_EVENTS))) {
            position =
                    piece.kind() == OutputKind.OUT ? position.withOutput(piece.end()) : position.withError(piece.end());
            ObjectNode json = OutputPieceMapper.piece(piece).put("executionId", execution.toString());
            events.writeBytes(SseWriter.event(position.toString(), OutputPieceMapper.stream(piece.kind()), json));
        }
        return new OutputEvents(position, events.toByteArray());
    }

    /** Returns the position behind the last event. */
    EventPosition end() {
        return end;
    }

    /** Returns the encoded events; empty if there are none. */
    byte[] bytes() {
        return bytes.clone();
    }
}
