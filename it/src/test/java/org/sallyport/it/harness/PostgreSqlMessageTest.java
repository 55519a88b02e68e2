package org.sallyport.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PostgreSqlMessageTest {
    /** A message as its bytes. */
    static byte[] bytes(char type, String content) {
        byte[] body = content.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + body.length)
                .put((byte) type)
                .putInt(4 + body.length)
                .put(body)
                .array();
    }

    private static DataInputStream stream(byte[]... messages) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] message : messages) {
            all.write(message);
        }
        return new DataInputStream(new ByteArrayInputStream(all.toByteArray()));
    }

    private static PostgreSqlMessage message(char type, String content) throws IOException {
        return PostgreSqlMessage.read(stream(bytes(type, content))).orElseThrow();
    }

    @Test
    void messagesAreReadOneAfterTheOtherAndWrittenUnchanged() throws IOException {
        byte[] parse = bytes('P', "S_1\0select 1\0\0\0");
        byte[] sync = bytes('S', "");
        DataInputStream in = stream(parse, sync);
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        PostgreSqlMessage first = PostgreSqlMessage.read(in).orElseThrow();
        PostgreSqlMessage second = PostgreSqlMessage.read(in).orElseThrow();
        first.writeTo(out);
        second.writeTo(out);

        assertThat(first.isSync()).isFalse();
        assertThat(second.isSync()).isTrue();
        assertThat(PostgreSqlMessage.read(in)).isEmpty();
        assertThat(out.toByteArray()).isEqualTo(stream(parse, sync).readAllBytes());
    }

    @Test
    void incompleteMessageIsAnError() throws IOException {
        byte[] whole = bytes('Q', "COMMIT\0");
        for (int length = 1; length < whole.length; length++) {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(whole, 0, length));
            assertThatThrownBy(() -> PostgreSqlMessage.read(in)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void impossibleLengthIsAnError() throws IOException {
        for (int length : new int[] {3, -1, Integer.MAX_VALUE}) {
            DataInputStream in =
                    stream(ByteBuffer.allocate(5).put((byte) 'Q').putInt(length).array());
            assertThatThrownBy(() -> PostgreSqlMessage.read(in))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("length " + length);
        }
    }

    @Test
    void statementsAreFoundInBothKindsOfRequests() throws IOException {
        assertThat(message('Q', "select 1\0").statement()).contains("select 1");
        assertThat(message('P', "\0select 2\0\0\0").statement()).contains("select 2");
        assertThat(message('P', "S_1\0select 3\0\0\0").statement()).contains("select 3");
        assertThat(message('B', "\0select 4\0").statement()).isEmpty();
        assertThat(message('P', "no end").statement()).contains("");
    }

    @Test
    void requestedCommitsAreRecognized() throws IOException {
        assertThat(message('Q', "COMMIT\0").requestsCommit()).isTrue();
        assertThat(message('P', "\0COMMIT\0\0\0").requestsCommit()).isTrue();
        assertThat(message('P', "\0COMMIT PREPARED 'a'\0\0\0").requestsCommit()).isFalse();
        assertThat(message('B', "\0COMMIT\0").requestsCommit()).isFalse();
    }

    @Test
    void answersToCommitsAreRecognized() throws IOException {
        assertThat(message('C', "COMMIT\0").answersCommit()).isTrue();
        assertThat(message('C', "ROLLBACK\0").answersCommit()).isFalse();
        assertThat(message('C', "UPDATE 1\0").answersCommit()).isFalse();
        assertThat(message('D', "COMMIT\0").answersCommit()).isFalse();
    }

    @Test
    void endOfATransactionIsRecognized() throws IOException {
        assertThat(message('Z', "I").endsTransaction()).isTrue();
        assertThat(message('Z', "T").endsTransaction()).isFalse();
        assertThat(message('Z', "E").endsTransaction()).isFalse();
        assertThat(message('C', "I").endsTransaction()).isFalse();
    }

    @Test
    void partsAreFoundAnywhereInTheContent() throws IOException {
        PostgreSqlMessage bind = message('B', "abcabd");
        for (String part : new String[] {"abc", "abd", "bca", "d", "abcabd", ""}) {
            assertThat(bind.contains(part.getBytes(StandardCharsets.UTF_8)))
                    .as(part)
                    .isTrue();
        }
        for (String part : new String[] {"abe", "B", "abcabda"}) {
            assertThat(bind.contains(part.getBytes(StandardCharsets.UTF_8)))
                    .as(part)
                    .isFalse();
        }
    }
}
