package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.sallyport.web.Sha256Hash;

/**
 * The SHA-256 hash of JSON values. Texts of the same value have the same hash: the order of members, white space,
 * escapes and the notation of numbers ({@code 1}, {@code 1.0}, {@code 10e-1}) do not count. All digits of a number do.
 * Not thread-safe.
 */
final class CanonicalJsonHash {
    private static final int BUFFER_BYTES = 8 << 10;

    private final MessageDigest digest = Sha256Hash.newDigest();
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    /** The hash of one value, hexadecimal. */
    static String of(JsonNode value) {
        return new CanonicalJsonHash().add(value).hex();
    }

    /** Adds a value, which is nested no deeper than the reader of bodies allows. */
    CanonicalJsonHash add(JsonNode value) {
        switch (value.getNodeType()) {
            case OBJECT -> {
                List<String> names = new ArrayList<>(value.size());
                value.fieldNames().forEachRemaining(names::add);
                Collections.sort(names);
                addHeader('{', names.size());
                names.forEach(name -> {
                    addText('n', name);
                    add(value.path(name));
                });
            }
            case ARRAY -> {
                addHeader('[', value.size());
                value.forEach(this::add);
            }
            case STRING -> addText('"', value.textValue());
            case NUMBER -> addText('#', number(value));
            case BOOLEAN -> addHeader(value.booleanValue() ? 't' : 'f', 0);
            case NULL, MISSING -> addHeader('0', 0);
            default -> addText('?', value.asText());
        }
        return this;
    }

    /** Adds bytes that are not JSON. */
    CanonicalJsonHash add(byte[] bytes) {
        addHeader('b', bytes.length);
        flush();
        digest.update(bytes);
        return this;
    }

    /** The hash of the values that were added. Ends the use of this object. */
    String hex() {
        flush();
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The significant digits and the exponent of ten: the same for each notation of a number. */
    private static String number(JsonNode value) {
        if (value.isFloatingPointNumber() && !value.isBigDecimal() && !Double.isFinite(value.doubleValue())) {
            return value.asText();
        }
        BigDecimal exact = value.decimalValue();
        if (exact.signum() == 0) {
            return "0";
        }
        String digits = exact.unscaledValue().toString();
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return digits.substring(0, end) + "e" + ((long) digits.length() - end - exact.scale());
    }

    private void addText(char kind, String text) {
        addHeader(kind, text.length());
        for (int i = 0; i < text.length(); i++) {
            reserve(Character.BYTES);
            buffer.putChar(text.charAt(i));
        }
    }

    /** The kind and the size of a value, so that no two sequences of values have the same bytes. */
    private void addHeader(char kind, int size) {
        reserve(Character.BYTES + Integer.BYTES);
        buffer.putChar(kind).putInt(size);
    }

    private void reserve(int bytes) {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }

    private void flush() {
        digest.update(buffer.flip());
        buffer.clear();
    }
}
