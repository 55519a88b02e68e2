package org.sallyport.sandbox.guest;

import java.net.IDN;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.graalvm.polyglot.Value;

/** What scripts do with bytes and the engine's interpreter would do slowly. */
final class ByteFunctions {
    private static final int MAX_HOST_LENGTH = 1_000;
    /** Whole groups of base64, from bytes to characters and back. */
    private static final int CHUNK_SIZE = 3 * 4 * 8 * 1024;

    private ByteFunctions() {}

    /** Bytes of a buffer, or characters of a text: at most as many as it has bytes. */
    static long size(Value content) {
        return content.isString() ? content.asString().length() : content.getBufferSize();
    }

    /** The bytes of a buffer, or of a text in UTF-8. */
    static byte[] toBytes(Value content) {
        if (content.isString()) {
            return content.asString().getBytes(StandardCharsets.UTF_8);
        }
        byte[] bytes = new byte[Math.toIntExact(content.getBufferSize())];
        content.readBuffer(0, bytes, 0, bytes.length);
        return bytes;
    }

    static String encodeBase64(Value buffer) {
        return Base64.getEncoder().encodeToString(toBytes(buffer));
    }

    /** Text of base64 of UTF-8. */
    static String decodeUtf8(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    /** Appends base64 of a buffer, or of a text in UTF-8; in pieces, since both may be large. */
    static void appendBase64(Value content, StringBuilder to) {
        if (content.isString()) {
            to.append(Base64.getEncoder().encodeToString(toBytes(content)));
            return;
        }
        long size = content.getBufferSize();
        for (long at = 0; at < size; at += CHUNK_SIZE) {
            byte[] piece = new byte[(int) Math.min(CHUNK_SIZE, size - at)];
            content.readBuffer(at, piece, 0, piece.length);
            to.append(Base64.getEncoder().encodeToString(piece));
        }
    }

    /** Writes what base64 stands for to the start of a buffer; empty. */
    static String decodeBase64Into(String base64, Value buffer) {
        long at = 0;
        for (int start = 0; start < base64.length(); start += CHUNK_SIZE) {
            String piece = base64.substring(start, Math.min(base64.length(), start + CHUNK_SIZE));
            ByteBuffer bytes =
                    ByteBuffer.wrap(Base64.getDecoder().decode(piece)).order(ByteOrder.LITTLE_ENDIAN);
            for (; bytes.remaining() >= Long.BYTES; at += Long.BYTES) {
                buffer.writeBufferLong(ByteOrder.LITTLE_ENDIAN, at, bytes.getLong());
            }
            for (; bytes.hasRemaining(); at++) {
                buffer.writeBufferByte(at, bytes.get());
            }
        }
        return "";
    }

    /** A hash as text, one character a byte; empty when the algorithm is none of the four that scripts know. */
    static String digest(String algorithm, Value buffer) {
        return switch (algorithm) {
            case "SHA-1", "SHA-256", "SHA-384", "SHA-512" ->
                new String(digest(algorithm, toBytes(buffer)), StandardCharsets.ISO_8859_1);
            default -> "";
        };
    }

    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException everyRuntimeHasIt) {
            throw new IllegalStateException(everyRuntimeHasIt);
        }
    }

    /** A host name in ASCII, or empty when it has none. */
    static String toAsciiHost(String host) {
        if (host.length() > MAX_HOST_LENGTH) {
            return "";
        }
        try {
            return IDN.toASCII(host, IDN.ALLOW_UNASSIGNED);
        } catch (IllegalArgumentException impossible) {
            return "";
        }
    }
}
