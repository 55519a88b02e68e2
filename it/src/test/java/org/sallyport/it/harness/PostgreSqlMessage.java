package org.sallyport.it.harness;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A message of PostgreSQL's protocol 3.0, as it is sent in both directions once a connection is open: a byte for its
 * type, its length without that byte as a 32-bit number, and its content. Some types mean something else in the other
 * direction. Immutable. Source: chapter "Frontend/Backend Protocol" of the manual of PostgreSQL.
 */
final class PostgreSqlMessage {
    private static final int CONTENT = 5;
    private static final int MAX_LENGTH = 1 << 30;

    private final byte[] bytes;

    private PostgreSqlMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Reads a message. Returns empty at the end of the stream, if no message has begun. */
    static Optional<PostgreSqlMessage> read(DataInputStream in) throws IOException {
        int type = in.read();
        if (type < 0) {
            return Optional.empty();
        }
        int length = in.readInt();
        if (length < Integer.BYTES || length > MAX_LENGTH) {
            throw new IOException("a message of type " + (char) type + " has the length " + length);
        }
        byte[] bytes = new byte[1 + length];
        ByteBuffer.wrap(bytes).put((byte) type).putInt(length);
        in.readFully(bytes, CONTENT, bytes.length - CONTENT);
        return Optional.of(new PostgreSqlMessage(bytes));
    }

    /** Writes it unchanged. */
    void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
    }

    private boolean isOfType(char type) {
        return bytes[0] == (byte) type;
    }

    /** Returns the text from {@code start} to the next zero byte. */
    private String textAt(int start) {
        return new String(bytes, start, endOfText(start) - start, StandardCharsets.UTF_8);
    }

    private int endOfText(int start) {
        int end = start;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return end;
    }

    /** The SQL of a client's message {@code Query} or {@code Parse}; empty for other messages of clients. */
    Optional<String> statement() {
        if (isSimpleQuery()) {
            return Optional.of(textAt(CONTENT));
        }
        // The name of the prepared statement comes first.
        return isOfType('P') ? Optional.of(textAt(Math.min(bytes.length, endOfText(CONTENT) + 1))) : Optional.empty();
    }

    /**
     * Whether a client requests a commit with it. The driver sends the word with each commit if it prepares no
     * statements on the server.
     */
    boolean requestsCommit() {
        return statement().filter("COMMIT"::equalsIgnoreCase).isPresent();
    }

    /** Whether it is a client's message {@code Query}, to which no other message of the client belongs. */
    boolean isSimpleQuery() {
        return isOfType('Q');
    }

    /** Whether it is a client's message {@code Sync}, the last one of a request. */
    boolean isSync() {
        return isOfType('S');
    }

    /** Whether the server says with it that a transaction is committed. It says {@code ROLLBACK} of one that failed. */
    boolean answersCommit() {
        return isOfType('C') && textAt(CONTENT).equals("COMMIT");
    }

    /** Whether the server says with it that it is ready for a query and that no transaction is open. */
    boolean endsTransaction() {
        return isOfType('Z') && bytes.length > CONTENT && bytes[CONTENT] == 'I';
    }

    /** Whether its content has the bytes {@code part} anywhere. */
    boolean contains(byte[] part) {
        for (int start = CONTENT; start + part.length <= bytes.length; start++) {
            if (Arrays.equals(bytes, start, start + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }
}
