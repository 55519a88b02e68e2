package org.sallyport.sandbox.parser;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects edits of a text and maps positions in the edited text back. Edits may be added in any order but must not
 * overlap; edits at the same offset keep the order in which they were added.
 */
final class TextEdits {
    private static final int NO_POSITION = -1;
    /** An insertion at an offset comes before a replacement of the text that begins there. */
    private static final Comparator<TextEdit> ORDER =
            Comparator.comparingInt(TextEdit::start).thenComparing(edit -> edit.end() > edit.start());

    /**
     * @param anchor the original offset to which all of {@code text} maps, {@link #NO_POSITION} for none
     */
    private record TextEdit(int start, int end, String text, int anchor) {}

    /** A run of the edited text: copied from {@code original} onwards, or mapped to {@code original} as a whole. */
    private record TextRun(int start, int original, boolean copied) {}

    private final String original;
    private final List<TextEdit> edits = new ArrayList<>();

    TextEdits(String original) {
        this.original = original;
    }

    String original() {
        return original;
    }

    /** Inserts text that has no original position. */
    void insert(int at, String text) {
        edits.add(new TextEdit(at, at, text, NO_POSITION));
    }

    /** Inserts text; every position in it maps to the original offset {@code anchor}. */
    void insert(int at, String text, int anchor) {
        edits.add(new TextEdit(at, at, text, anchor));
    }

    /** Replaces a range; every position in {@code text} maps to the start of the range. */
    void replace(int start, int end, String text) {
        edits.add(new TextEdit(start, end, text, start));
    }

    /** Overwrites a range with spaces; keeps its line ends. */
    void blankOut(int start, int end) {
        replace(start, end, toBlanks(original, start, end));
    }

    /**
     * Works like {@link #replace}, with spaces before {@code text} so that the following text keeps its line and, if
     * there is room, its column.
     */
    void overwrite(int start, int end, String text) {
        String blanks = toBlanks(original, start, end);
        int kept = Math.max(blanks.lastIndexOf('\n') + 1, blanks.length() - text.length());
        replace(start, end, blanks.substring(0, kept) + text);
    }

    /**
     * Applies the edits and surrounds the text with {@code before} and {@code after}, which have no original position.
     */
    TextEditResult applyWithin(String before, String after) {
        List<TextEdit> ordered = new ArrayList<>(edits);
        ordered.sort(ORDER);
        StringBuilder text = new StringBuilder(original.length() + 256).append(before);
        List<TextRun> runs = new ArrayList<>();
        runs.add(new TextRun(0, NO_POSITION, false));
        int copied = 0;
        for (TextEdit edit : ordered) {
            if (edit.start() > copied) {
                runs.add(new TextRun(text.length(), copied, true));
                text.append(original, copied, edit.start());
            }
            if (!edit.text().isEmpty()) {
                runs.add(new TextRun(text.length(), edit.anchor(), false));
                text.append(edit.text());
            }
            copied = Math.max(copied, edit.end());
        }
        runs.add(new TextRun(text.length(), copied, true));
        text.append(original, copied, original.length());
        runs.add(new TextRun(text.length(), NO_POSITION, false));
        text.append(after);
        return new TextEditResult(original, text.toString(), List.copyOf(runs));
    }

    private static String toBlanks(String text, int start, int end) {
        StringBuilder blanks = new StringBuilder(end - start);
        for (int i = start; i < end; i++) {
            char at = text.charAt(i);
            blanks.append(at == '\n' || at == '\r' ? at : ' ');
        }
        return blanks.toString();
    }

    /** The edited text; as a map it leads back to the original text. */
    static final class TextEditResult implements PositionMap {
        private final String original;
        private final String text;
        private final List<TextRun> runs;

        private TextEditResult(String original, String text, List<TextRun> runs) {
            this.original = original;
            this.text = text;
            this.runs = runs;
        }

        String text() {
            return text;
        }

        @Override
        public SourcePosition toOriginal(SourcePosition place) {
            int offset = new LineIndex(text).offsetOf(place);
            return offset < 0 ? SourcePosition.UNKNOWN : originalPosition(offset);
        }

        /** Returns this map, except that positions in the appended suffix map to the end of the original text. */
        PositionMap mappingSuffixToEnd() {
            TextRun last = runs.get(runs.size() - 1);
            return place -> new LineIndex(text).offsetOf(place) >= last.start()
                    ? new LineIndex(original).positionAt(original.length())
                    : toOriginal(place);
        }

        /** Returns the original position of the character at {@code offset} of the edited text. */
        SourcePosition originalPosition(int offset) {
            TextRun found = runs.get(0);
            for (TextRun run : runs) {
                if (run.start() > offset) {
                    break;
                }
                found = run;
            }
            if (found.original() == NO_POSITION) {
                return SourcePosition.UNKNOWN;
            }
            int from = found.original() + (found.copied() ? offset - found.start() : 0);
            return new LineIndex(original).positionAt(Math.min(from, original.length()));
        }
    }
}
