package org.sallyport.sandbox.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A text, changes to it, and the way back from a place in the changed text. Changes may come in any order but must not
 * overlap; those at one offset keep the order in which they came.
 */
final class EditedText {
    private static final int NOWHERE = -1;
    /** What is put in at an offset comes before what is put in place of the piece that begins there. */
    private static final Comparator<Edit> ORDER =
            Comparator.comparingInt(Edit::start).thenComparing(edit -> edit.end() > edit.start());

    /** @param anchor the offset that all of {@code text} is said to come from, {@link #NOWHERE} for none */
    private record Edit(int start, int end, String text, int anchor) {}

    /** A run of the changed text: copied from {@code original} on, or all made from {@code original}. */
    private record Run(int start, int original, boolean copied) {}

    private final String original;
    private final List<Edit> edits = new ArrayList<>();

    EditedText(String original) {
        this.original = original;
    }

    String original() {
        return original;
    }

    /** Puts in what no place of the author stands for. */
    void insert(int at, String text) {
        edits.add(new Edit(at, at, text, NOWHERE));
    }

    /** Puts {@code text} in place of a piece; every place in it is the piece's first. */
    void replace(int start, int end, String text) {
        edits.add(new Edit(start, end, text, start));
    }

    /** Overwrites a piece with blanks, but for its line ends. */
    void blank(int start, int end) {
        replace(start, end, blanked(original, start, end));
    }

    /** As {@link #replace}, with blanks before {@code text} so that what follows stays in its line and, if there is room, column. */
    void overwrite(int start, int end, String text) {
        String blanks = blanked(original, start, end);
        int kept = Math.max(blanks.lastIndexOf('\n') + 1, blanks.length() - text.length());
        replace(start, end, blanks.substring(0, kept) + text);
    }

    /** The changed text between {@code before} and {@code after}, which come from nowhere. */
    Result between(String before, String after) {
        List<Edit> ordered = new ArrayList<>(edits);
        ordered.sort(ORDER);
        StringBuilder text = new StringBuilder(original.length() + 256).append(before);
        List<Run> runs = new ArrayList<>();
        runs.add(new Run(0, NOWHERE, false));
        int copied = 0;
        for (Edit edit : ordered) {
            if (edit.start() > copied) {
                runs.add(new Run(text.length(), copied, true));
                text.append(original, copied, edit.start());
            }
            if (!edit.text().isEmpty()) {
                runs.add(new Run(text.length(), edit.anchor(), false));
                text.append(edit.text());
            }
            copied = Math.max(copied, edit.end());
        }
        runs.add(new Run(text.length(), copied, true));
        text.append(original, copied, original.length());
        runs.add(new Run(text.length(), NOWHERE, false));
        text.append(after);
        return new Result(original, text.toString(), List.copyOf(runs));
    }

    private static String blanked(String text, int start, int end) {
        StringBuilder blanks = new StringBuilder(end - start);
        for (int i = start; i < end; i++) {
            char at = text.charAt(i);
            blanks.append(at == '\n' || at == '\r' ? at : ' ');
        }
        return blanks.toString();
    }

    /** The changed text; as a map it leads back to the original one. */
    static final class Result implements PositionMap {
        private final String original;
        private final String text;
        private final List<Run> runs;

        private Result(String original, String text, List<Run> runs) {
            this.original = original;
            this.text = text;
            this.runs = runs;
        }

        String text() {
            return text;
        }

        @Override
        public Place original(Place place) {
            int offset = new Lines(text).offset(place);
            return offset < 0 ? Place.UNKNOWN : originalOf(offset);
        }

        /** The same way, but what stands behind the original text leads to its end. */
        PositionMap orEnd() {
            Run last = runs.get(runs.size() - 1);
            return place -> new Lines(text).offset(place) >= last.start()
                    ? new Lines(original).place(original.length())
                    : original(place);
        }

        /** The place that the character at {@code offset} of the changed text came from. */
        Place originalOf(int offset) {
            Run found = runs.get(0);
            for (Run run : runs) {
                if (run.start() > offset) {
                    break;
                }
                found = run;
            }
            if (found.original() == NOWHERE) {
                return Place.UNKNOWN;
            }
            int from = found.original() + (found.copied() ? offset - found.start() : 0);
            return new Lines(original).place(Math.min(from, original.length()));
        }
    }
}
