package org.sallyport.sandbox.guest;

import java.net.IDN;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.graalvm.polyglot.Value;

/** Byte operations for scripts that the interpreter of the engine would run slowly. */
final class ByteFunctions {
    private static final int MAX_HOST_LENGTH = 1_000;
    /** A whole number of base64 groups, for encoding and decoding in chunks. */
    private static final int CHUNK_SIZE = 3 * 4 * 8 * 1024;

    private ByteFunctions() {}

    /** Returns the bytes of a buffer, or the characters of a text, which are never more than its UTF-8 bytes. */
    static long size(Value content) {
        return content.isString() ? content.asString().length() : content.getBufferSize();
    }

    /** Returns the bytes of a buffer, or of a text in UTF-8. */
    static byte[] toBytes(Value content) {
        if (content.isString()) {
            return utf8(content.asString());
        }
        byte[] bytes = new byte[Math.toIntExact(content.getBufferSize())];
        content.readBuffer(0, bytes, 0, bytes.length);
        return bytes;
    }

    /** Encodes a text. A lone surrogate becomes U+FFFD, as encoders of the web write it, not a question mark. */
    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE)
                    .replaceWith("\ufffd".getBytes(StandardCharsets.UTF_8))
                    .encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalStateException("the encoder replaces what it cannot encode", e);
        }
    }

    static String encodeBase64(Value buffer) {
        return Base64.getEncoder().encodeToString(toBytes(buffer));
    }

    /** Decodes base64 to UTF-8 text. */
    static String decodeUtf8(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    /** Appends the base64 of a buffer, or of a text in UTF-8. Works in chunks, since the input may be large. */
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

    /** Decodes base64 into the start of a buffer. Returns an empty text. */
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

    /**
     * Returns a hash as text, one character per byte; empty when the algorithm is not one of the four supported ones.
     */
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

    /** Returns a host name in ASCII, or an empty text when it has no ASCII form. */
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
