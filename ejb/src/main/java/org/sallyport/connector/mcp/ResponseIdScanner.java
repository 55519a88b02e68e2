package org.sallyport.connector.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the id of a JSON-RPC response that cannot be parsed as a whole, because it is too long, nested too deeply, cut
 * off or otherwise invalid. Reads the bytes of the response in pieces and keeps only names and values of its own
 * members, up to a maximum length. Not thread-safe.
 */
final class ResponseIdScanner extends OutputStream {
    private static final int MAX_TOKEN_BYTES = 256;

    private final ByteArrayOutputStream token = new ByteArrayOutputStream(MAX_TOKEN_BYTES);
    /** Number of objects and arrays that are open. */
    private int depth;

    private boolean inText;
    private boolean escaped;
    /** Whether the text ended or is no object. */
    private boolean finished;
    /** Name of the member whose value is being read; null while a name is read. */
    private @Nullable String member;

    private Optional<String> id = Optional.empty();
    private boolean request;

    @Override
    public void write(int b) {
        if (finished) {
            return;
        }
        if (inText) {
            writeInText(b);
        } else {
            writeOutsideText((char) (b & 0xff));
        }
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        for (int i = from; i < from + length && !finished; i++) {
            write(bytes[i]);
        }
    }

    private void writeInText(int b) {
        keep(b);
        if (escaped) {
            escaped = false;
        } else if (b == '\\') {
            escaped = true;
        } else if (b == '"') {
            inText = false;
        }
    }

    private void writeOutsideText(char c) {
        switch (c) {
            case ' ', '\t', '\r', '\n' -> {}
            case '{', '[' -> {
                finished = depth == 0 && c == '[';
                depth++;
            }
            case '}', ']' -> {
                endMember();
                depth--;
                finished = depth <= 0;
            }
            case ':' -> endName();
            case ',' -> endMember();
            default -> {
                finished = depth == 0;
                inText = c == '"';
                keep(c);
            }
        }
    }

    /** Keeps a byte of a name or a value of the outermost object. */
    private void keep(int b) {
        if (depth == 1 && token.size() <= MAX_TOKEN_BYTES) {
            token.write(b);
        }
    }

    private void endName() {
        if (depth == 1) {
            String name = readText().orElse("");
            member = name;
            request |= name.equals("method");
            token.reset();
        }
    }

    private void endMember() {
        if (depth == 1) {
            if ("id".equals(member) && id.isEmpty()) {
                id = readText();
            }
            member = null;
            token.reset();
        }
    }

    private Optional<String> readText() {
        if (token.size() > MAX_TOKEN_BYTES) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(
                    McpJson.MAPPER.readTree(token.toByteArray()).textValue());
        } catch (IOException e) {
            return Optional.empty(); // it is no valid JSON
        }
    }

    /**
     * Returns the id of the response; empty if what was written is no response, or has no id that is a text. This
     * client sends no other ids.
     */
    Optional<String> responseId() {
        return request ? Optional.empty() : id;
    }

    /** Returns the id of a response in a text. */
    static Optional<String> findResponseId(String text) {
        ResponseIdScanner scanner = new ResponseIdScanner();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        scanner.write(bytes, 0, bytes.length);
        return scanner.responseId();
    }
}
