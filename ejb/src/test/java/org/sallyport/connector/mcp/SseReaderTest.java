package org.sallyport.connector.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SseReaderTest {
    private static final int MAX_BYTES = 40;

    /** Writes each part of the stream as a word. */
    private static final class SsePartRecorder implements SseReader.SseListener {
        final List<String> parts = new ArrayList<>();

        @Override
        public void onEventId(String id) {
            parts.add("id=" + id);
        }

        @Override
        public void onEvent(String type, String data) {
            parts.add(type + "(" + data.replace("\n", "+") + ")");
        }

        @Override
        public void onRetry(long millis) {
            parts.add("retry=" + millis);
        }

        @Override
        public void onOversizedEvent(Optional<String> responseId) {
            parts.add("oversized=" + responseId.orElse("?"));
        }
    }

    private static String read(String stream, int pieceLength) {
        SsePartRecorder recorder = new SsePartRecorder();
        SseReader reader = new SseReader(MAX_BYTES, recorder);
        byte[] bytes = stream.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < bytes.length; from += pieceLength) {
            reader.read(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + pieceLength))));
        }
        reader.end();
        return String.join(" ", recorder.parts);
    }

    /** Each row: the stream, with N and R for line feed and carriage return; the parts. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    data: aNN                                | (a)
                    data:aNN                                 | (a)
                    data:  aNN                               | '( a)'
                    data: aRRdata: bRNRNdata: cNN            | (a) (b) (c)
                    data: aRNdata: bNdata: cRRN              | (a+b+c)
                    dataNdata:NN                             | (+)
                    NNNdata: aNNNN                           | (a)
                    : commentNdata: aN:NN                    | (a)
                    event: pingNdata: aNNdata: bNN           | ping(a) (b)
                    id: 7Ndata: aNNdata: bNNidNdata: cNN     | id=7 (a) (b) id= (c)
                    id: 7Nretry: 300NN                       | retry=300 id=7
                    retry: soonNretry: -1Nretry: 1.5Ndata:NN | ()
                    other: 1NdatA: xNdata: aNN               | (a)
                    \uFEFFdata: ä😀NN                        | (ä😀)
                    data: \uFEFFaNN                          | (\uFEFFa)
                    id: a\0bNdata: aNN                       | (a)
                    data: aN                                 | (a)
                    data: a                                  | (a)
                    id: 7Ndata: aNNid: 8Ndata: b             | id=7 (a) (b)
                    id: 7Nda                                 | ''
                    event: onlyNN                            | ''
                    """)
    void eventsAreReadFromPiecesOfAnyLength(String stream, String parts) {
        String text = stream.replace('N', '\n').replace('R', '\r');
        for (int pieceLength = 1; pieceLength <= text.length() + 4; pieceLength++) {
            assertThat(read(text, pieceLength)).as("pieces of " + pieceLength).isEqualTo(parts);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1_000_000})
    void longEventIsSkippedAndItsResponseIsNamed(int pieceLength) {
        String rest = "x".repeat(3_000) + "\"}\n\ndata: next\n\n";
        assertThat(read("data: {\"id\":\"r-1\",\"result\":\"" + rest, pieceLength))
                .isEqualTo("oversized=r-1 (next)");
        String idAtTheEnd = "data: {\"result\":\"" + "x".repeat(3_000) + "\",\"id\":\"r-1\"}\n\ndata: next\n\n";
        assertThat(read(idAtTheEnd, pieceLength)).isEqualTo("oversized=r-1 (next)");
        assertThat(read("id: 5\ndata: {\"id\":\"r-1\",\ndata: \"result\":\"" + rest, pieceLength))
                .isEqualTo("oversized=r-1 id=5 (next)");
        assertThat(read("data: {\"method\":\"m\",\"id\":\"r-1\",\"params\":\"" + rest, pieceLength))
                .isEqualTo("oversized=? (next)");
        assertThat(read("data: a\n: " + rest, pieceLength)).isEqualTo("(a) (next)");
        assertThat(read("data: a\nother: " + rest, pieceLength)).isEqualTo("(a) (next)");
        String idInAnotherLine =
                "data: {\"result\":\"" + "x".repeat(3_000) + "\",\ndata: \"id\":\"r-1\"}\n\ndata: next\n\n";
        assertThat(read(idInAnotherLine, pieceLength)).isEqualTo("oversized=r-1 (next)");
        String idInALongLine = idInAnotherLine.replace("\"id\"", "\"_meta\":\"" + "y".repeat(3_000) + "\",\"id\"");
        assertThat(read(idInALongLine, pieceLength)).isEqualTo("oversized=r-1 (next)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"data: a\n", "data:\n", "data\n"})
    void eventOfManyLinesIsSkipped(String dataLine) {
        assertThat(read(dataLine.repeat(30) + "\ndata: next\n\n", 5)).isEqualTo("oversized=? (next)");
    }

    @Test
    void eventOfTheMaximumLengthIsRead() {
        String data = "x".repeat(MAX_BYTES);
        assertThat(read("data: " + data + "\n\n", 5)).isEqualTo("(" + data + ")");
        assertThat(read("data: " + data + "yy\n\n", 5)).isEqualTo("oversized=?");
    }
}
