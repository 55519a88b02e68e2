package org.sallyport.sandbox.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A text, changes to it, and the way back from a place in the changed text. Changes may come in any order but must not
 * overlap; those at one offset keep the order in which they came.
 */
final class TextEdits {
    private static final int NO_POSITION = -1;
    /** What is put in at an offset comes before what is put in place of the piece that begins there. */
    private static final Comparator<TextEdit> ORDER =
            Comparator.comparingInt(TextEdit::start).thenComparing(edit -> edit.end() > edit.start());

    /** @param anchor the offset that all of {@code text} is said to come from, {@link #NO_POSITION} for none */
    private record TextEdit(int start, int end, String text, int anchor) {}

    /** A run of the changed text: copied from {@code original} on, or all made from {@code original}. */
    private record TextRun(int start, int original, boolean copied) {}

    private final String original;
    private final List<TextEdit> edits = new ArrayList<>();

    TextEdits(String original) {
        this.original = original;
    }

    String original() {
        return original;
    }

    /** Puts in what no place of the author stands for. */
    void insert(int at, String text) {
        edits.add(new TextEdit(at, at, text, NO_POSITION));
    }

    /** Puts {@code text} in place of a piece; every place in it is the piece's first. */
    void replace(int start, int end, String text) {
        edits.add(new TextEdit(start, end, text, start));
    }

    /** Overwrites a piece with blanks, but for its line ends. */
    void blankOut(int start, int end) {
        replace(start, end, toBlanks(original, start, end));
    }

    /** As {@link #replace}, with blanks before {@code text} so that what follows stays in its line and, if there is room, column. */
    void overwrite(int start, int end, String text) {
        String blanks = toBlanks(original, start, end);
        int kept = Math.max(blanks.lastIndexOf('\n') + 1, blanks.length() - text.length());
        replace(start, end, blanks.substring(0, kept) + text);
    }

    /** The changed text between {@code before} and {@code after}, which come from nowhere. */
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

    /** The changed text; as a map it leads back to the original one. */
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

        /** The same way, but what stands behind the original text leads to its end. */
        PositionMap mappingSuffixToEnd() {
            TextRun last = runs.get(runs.size() - 1);
            return place -> new LineIndex(text).offsetOf(place) >= last.start()
                    ? new LineIndex(original).positionAt(original.length())
                    : toOriginal(place);
        }

        /** The place that the character at {@code offset} of the changed text came from. */
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
