package org.sallyport.sandbox.directcall;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON exactly as the guest does, byte by byte: it matches the guest's {@code encode} for values that came from
 * JSON or literals, in the order of members, in the count against the limit and in the messages of refusals.
 */
sealed interface JsonStringifier {

    /**
     * The value as JSON.
     *
     * @param json the text
     * @param size its characters
     */
    record StringifiedJson(String json, long size) implements JsonStringifier {}

    /** The JSON is longer than allowed. */
    record JsonTooLarge() implements JsonStringifier {}

    /** JSON cannot represent the value; the message tells what and where. */
    record JsonRefused(String message) implements JsonStringifier {}

    /**
     * Encodes a value.
     *
     * @param root name of the value in a refusal
     * @param limit maximum size that may be counted
     */
    static JsonStringifier stringify(String root, JsValue value, long limit) {
        JsonValueWriter writer = new JsonValueWriter(limit);
        try {
            writer.write(new JsonValuePath(null, root, true), value, 0);
            return new StringifiedJson(writer.text.toString(), writer.size);
        } catch (StringifyAbortedException stopped) {
            return stopped.result;
        }
    }

    /** The path of a value; converted to text only for a message. */
    record JsonValuePath(@Nullable JsonValuePath parent, String name, boolean literal) {
        private String text() {
            Deque<String> names = new ArrayDeque<>();
            for (JsonValuePath at = this; at != null; at = at.parent()) {
                names.push(at.literal() ? at.name() : "." + at.name());
            }
            return String.join("", names);
        }
    }

    /** Aborts the writing of one value. */
    final class StringifyAbortedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient JsonStringifier result;

        private StringifyAbortedException(JsonStringifier why) {
            super(null, null, false, false);
            this.result = why;
        }
    }

    /** Writes one value. */
    final class JsonValueWriter {
        private static final int MAX_DEPTH = 64;
        private static final long MAX_INDEX = (1L << 32) - 2;
        private static final int INDEX_DIGITS = 10;

        private final long limit;
        private final StringBuilder text = new StringBuilder();
        private long size;

        private JsonValueWriter(long limit) {
            this.limit = limit;
        }

        private void write(JsonValuePath path, JsValue value, int depth) throws StringifyAbortedException {
            if (value instanceof JsValue.JsString string) {
                append(quote(string.value()));
            } else if (value instanceof JsValue.JsNumeric number) {
                if (Double.isInfinite(number.value())) {
                    throw refusal(path, "is " + (number.value() < 0 ? "-" : "") + "Infinity, which JSON cannot carry");
                }
                append(JsNumberFormat.format(number.value()));
            } else if (value instanceof JsValue.JsBoolean flag) {
                append(flag.value() ? "true" : "false");
            } else if (value instanceof JsValue.JsNull) {
                append("null");
            } else if (depth >= MAX_DEPTH) {
                throw refusal(path, "is nested deeper than " + MAX_DEPTH + " levels");
            } else if (value instanceof JsValue.JsArray items) {
                writeArray(path, items.values(), depth);
            } else if (value instanceof JsValue.JsObject members) {
                writeObject(path, members.values(), depth);
            }
        }

        private void writeArray(JsonValuePath path, List<JsValue> items, int depth) throws StringifyAbortedException {
            addSize(2);
            text.append('[');
            for (int i = 0; i < items.size(); i++) {
                if (i > 0) {
                    text.append(',');
                }
                write(new JsonValuePath(path, "[" + i + "]", true), items.get(i), depth + 1);
                addSize(i > 0 ? 1 : 0);
            }
            text.append(']');
        }

        private void writeObject(JsonValuePath path, Map<String, JsValue> members, int depth)
                throws StringifyAbortedException {
            addSize(2);
            text.append('{');
            boolean first = true;
            for (Map.Entry<String, JsValue> member : inPropertyOrder(members)) {
                if (!first) {
                    text.append(',');
                }
                String name = quote(member.getKey());
                text.append(name).append(':');
                write(new JsonValuePath(path, member.getKey(), false), member.getValue(), depth + 1);
                addSize(first ? 0 : 1);
                addSize(name.length());
                addSize(1);
                first = false;
            }
            text.append('}');
        }

        /** Sorts names that are array indexes first, by number. */
        private static List<Map.Entry<String, JsValue>> inPropertyOrder(Map<String, JsValue> members) {
            List<Map.Entry<String, JsValue>> ordered = new ArrayList<>(members.entrySet());
            if (ordered.stream().anyMatch(member -> isIndex(member.getKey()))) {
                ordered.sort(Comparator.comparingLong(
                        member -> isIndex(member.getKey()) ? Long.parseLong(member.getKey()) : MAX_INDEX + 1));
            }
            return ordered;
        }

        private static boolean isIndex(String name) {
            int length = name.length();
            if (length == 0 || length > INDEX_DIGITS || (name.charAt(0) == '0' && length > 1)) {
                return false;
            }
            for (int i = 0; i < length; i++) {
                if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                    return false;
                }
            }
            return Long.parseLong(name) <= MAX_INDEX;
        }

        private void append(String piece) throws StringifyAbortedException {
            text.append(piece);
            addSize(piece.length());
        }

        private void addSize(int length) throws StringifyAbortedException {
            size += length;
            if (size > limit) {
                throw new StringifyAbortedException(new JsonTooLarge());
            }
        }

        private static StringifyAbortedException refusal(JsonValuePath path, String what) {
            return new StringifyAbortedException(new JsonRefused(path.text() + " " + what));
        }

        /**
         * Quotes like JSON.stringify: escapes lone surrogates, and otherwise no character above the control characters.
         */
        private static String quote(String string) {
            StringBuilder quoted = new StringBuilder(string.length() + 2).append('"');
            for (int i = 0; i < string.length(); i++) {
                char at = string.charAt(i);
                switch (at) {
                    case '"' -> quoted.append("\\\"");
                    case '\\' -> quoted.append("\\\\");
                    case '\b' -> quoted.append("\\b");
                    case '\f' -> quoted.append("\\f");
                    case '\n' -> quoted.append("\\n");
                    case '\r' -> quoted.append("\\r");
                    case '\t' -> quoted.append("\\t");
                    default -> {
                        boolean pair = Character.isHighSurrogate(at)
                                && i + 1 < string.length()
                                && Character.isLowSurrogate(string.charAt(i + 1));
                        if (pair) {
                            quoted.append(at).append(string.charAt(++i));
                        } else if (at < ' ' || Character.isSurrogate(at)) {
                            quoted.append(String.format("\\u%04x", (int) at));
                        } else {
                            quoted.append(at);
                        }
                    }
                }
            }
            return quoted.append('"').toString();
        }
    }
}
