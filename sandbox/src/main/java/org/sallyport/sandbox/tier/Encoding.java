package org.sallyport.sandbox.tier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON text as the guest writes it, to the byte: what its {@code encode} does with values that came from JSON or literals,
 * in the same order, with the same counting against the limit and the same words for what it refuses.
 */
sealed interface Encoding {

    /**
     * The value as JSON.
     *
     * @param json the text
     * @param size its characters
     */
    record Text(String json, long size) implements Encoding {}

    /** It is longer than allowed. */
    record TooLarge() implements Encoding {}

    /** JSON cannot carry it; says what and where. */
    record Refused(String message) implements Encoding {}

    /**
     * Encodes a value.
     *
     * @param root what a refusal calls it
     * @param limit the most that may be counted
     */
    static Encoding of(String root, JsValue value, long limit) {
        Writer writer = new Writer(limit);
        try {
            writer.write(new Path(null, root, true), value, 0);
            return new Text(writer.text.toString(), writer.size);
        } catch (Stopped stopped) {
            return stopped.why;
        }
    }

    /** Where a value stands; made into text only when it must be told. */
    record Path(@Nullable Path owner, String name, boolean plain) {
        private String text() {
            Deque<String> names = new ArrayDeque<>();
            for (Path at = this; at != null; at = at.owner()) {
                names.push(at.plain() ? at.name() : "." + at.name());
            }
            return String.join("", names);
        }
    }

    /** Ends the writing of one value. */
    final class Stopped extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Encoding why;

        private Stopped(Encoding why) {
            super(null, null, false, false);
            this.why = why;
        }
    }

    /** Writes one value. */
    final class Writer {
        private static final int MAX_DEPTH = 64;
        private static final long MAX_INDEX = (1L << 32) - 2;
        private static final int INDEX_DIGITS = 10;

        private final long limit;
        private final StringBuilder text = new StringBuilder();
        private long size;

        private Writer(long limit) {
            this.limit = limit;
        }

        private void write(Path path, JsValue value, int depth) throws Stopped {
            if (value instanceof JsValue.Text string) {
                bounded(quoted(string.value()));
            } else if (value instanceof JsValue.Numeral number) {
                if (Double.isInfinite(number.value())) {
                    throw refused(path, "is " + (number.value() < 0 ? "-" : "") + "Infinity, which JSON cannot carry");
                }
                bounded(JsNumber.text(number.value()));
            } else if (value instanceof JsValue.Flag flag) {
                bounded(flag.value() ? "true" : "false");
            } else if (value instanceof JsValue.Null) {
                bounded("null");
            } else if (depth >= MAX_DEPTH) {
                throw refused(path, "is nested deeper than " + MAX_DEPTH + " levels");
            } else if (value instanceof JsValue.Items items) {
                list(path, items.values(), depth);
            } else if (value instanceof JsValue.Members members) {
                members(path, members.values(), depth);
            }
        }

        private void list(Path path, List<JsValue> items, int depth) throws Stopped {
            count(2);
            text.append('[');
            for (int i = 0; i < items.size(); i++) {
                if (i > 0) {
                    text.append(',');
                }
                write(new Path(path, "[" + i + "]", true), items.get(i), depth + 1);
                count(i > 0 ? 1 : 0);
            }
            text.append(']');
        }

        private void members(Path path, Map<String, JsValue> members, int depth) throws Stopped {
            count(2);
            text.append('{');
            boolean first = true;
            for (Map.Entry<String, JsValue> member : inOrder(members)) {
                if (!first) {
                    text.append(',');
                }
                String name = quoted(member.getKey());
                text.append(name).append(':');
                write(new Path(path, member.getKey(), false), member.getValue(), depth + 1);
                count(first ? 0 : 1);
                count(name.length());
                count(1);
                first = false;
            }
            text.append('}');
        }

        /** Names that are array indexes come first, by number. */
        private static List<Map.Entry<String, JsValue>> inOrder(Map<String, JsValue> members) {
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

        private void bounded(String piece) throws Stopped {
            text.append(piece);
            count(piece.length());
        }

        private void count(int length) throws Stopped {
            size += length;
            if (size > limit) {
                throw new Stopped(new TooLarge());
            }
        }

        private static Stopped refused(Path path, String what) {
            return new Stopped(new Refused(path.text() + " " + what));
        }

        /** As JSON.stringify: lone surrogates escaped, nothing else above the control characters. */
        private static String quoted(String string) {
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
