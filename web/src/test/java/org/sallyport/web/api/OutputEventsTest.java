package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;

class OutputEventsTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(1, 1));
    private static final Instant AT = Instant.parse("2026-06-08T15:00:45.244Z");

    private static final OutputChunk ONE = new OutputChunk(OutputKind.OUT, 4, "one\n", 9, AT);
    private static final OutputChunk OH = new OutputChunk(OutputKind.ERR, 5, "oh\n", 13, AT.plusMillis(1));
    private static final OutputChunk TWO = new OutputChunk(OutputKind.OUT, 8, "two\n", 16, AT.plusMillis(2));

    private static String text(OutputEvents events) {
        return new String(events.bytes(), StandardCharsets.UTF_8);
    }

    private static String event(String id, String name, String members, int millis) {
        return "id: " + id + "\nevent: " + name + "\ndata: {" + members + ",\"at\":\"2026-06-08T15:00:45." + millis
                + "Z\",\"executionId\":\"" + ID + "\"}\n\n";
    }

    @Test
    void eventsHaveTheOrderOfTheScriptAndTheirPositions() {
        OutputEvents events = OutputEvents.of(ID, EventPosition.from(3, 4, 5), List.of(ONE, OH, TWO));
        assertThat(text(events))
                .isEqualTo(event("-.3.8.5", "output", "\"offset\":4,\"text\":\"one\\n\",\"sequence\":9", 244)
                        + event("-.3.8.8", "error-output", "\"offset\":5,\"text\":\"oh\\n\",\"sequence\":13", 245)
                        + event("-.3.12.8", "output", "\"offset\":8,\"text\":\"two\\n\",\"sequence\":16", 246));
        assertThat(events.end()).isEqualTo(EventPosition.from(3, 12, 8));
    }

    @Test
    void manyPiecesAreSentInBoundedChunks() {
        List<OutputChunk> pieces = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            pieces.add(new OutputChunk(OutputKind.values()[i % 2], i / 2, "x", i, AT));
        }
        OutputEvents first = OutputEvents.of(ID, EventPosition.from(0, 0, 0), pieces);
        assertThat(first.end()).isEqualTo(EventPosition.from(0, 250, 250));
        OutputEvents second = OutputEvents.of(ID, first.end(), pieces.subList(OutputEvents.MAX_EVENTS, 700));
        assertThat(second.end()).isEqualTo(EventPosition.from(0, 350, 350));
        assertThat((text(first) + text(second)).lines().filter(line -> line.startsWith("id: ")))
                .hasSize(700);
    }

    @Test
    void noPiecesAreNoEvents() {
        EventPosition position = EventPosition.from(0, 0, 0);
        OutputEvents none = OutputEvents.of(ID, position, List.of());
        assertThat(none.bytes()).isEmpty();
        assertThat(none.end()).isEqualTo(position);
    }

    @Test
    void adjacentPiecesOfOneStreamAreJoined() {
        OutputChunk more = new OutputChunk(OutputKind.OUT, 12, "three\n", 20, AT.plusMillis(30));
        OutputChunk later = new OutputChunk(OutputKind.OUT, 18, "five\n", 30, AT.plusMillis(40));
        assertThat(OutputPieceMapper.joinAdjacent(List.of(ONE, OH, TWO, more, later)))
                .containsExactly(
                        ONE, OH, new OutputChunk(OutputKind.OUT, 8, "two\nthree\n", 16, AT.plusMillis(2)), later);
        assertThat(OutputPieceMapper.joinAdjacent(List.of())).isEmpty();
    }
}
