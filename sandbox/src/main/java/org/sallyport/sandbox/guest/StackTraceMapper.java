package org.sallyport.sandbox.guest;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.parser.PositionMap;
import org.sallyport.sandbox.parser.SourcePosition;

/** A stack trace of the engine, mapped to the author's lines; frames of other code are dropped. */
record StackTraceMapper(String head, String frames, SourcePosition position) {
    private static final int MAX_FRAMES = 30;
    private static final int MAX_HEAD_LENGTH = 10_000;
    private static final Pattern FRAME =
            Pattern.compile("^\\s+at (?:(.*) )?\\(?([^\\s()]*):(\\d{1,9}):(\\d{1,9})\\)?$");
    private static final Pattern OTHER_FRAME = Pattern.compile("^\\s+at .*");

    /** Prefix of the source names of library modules. */
    static final String LIBRARY_PREFIX = "library:";

    /**
     * @param positions maps from positions in the author's sources, by name, to the author's own positions
     */
    static StackTraceMapper of(String stack, Map<String, PositionMap> positions) {
        StringBuilder head = new StringBuilder();
        StringBuilder frames = new StringBuilder();
        SourcePosition first = SourcePosition.UNKNOWN;
        int kept = 0;
        for (String line : stack.split("\n", -1)) {
            Matcher frame = FRAME.matcher(line);
            if (!frame.matches()) {
                if (!OTHER_FRAME.matcher(line).matches() && head.length() < MAX_HEAD_LENGTH) {
                    head.append(head.isEmpty() ? "" : "\n").append(line);
                }
                continue;
            }
            String source = frame.group(2);
            SourcePosition written =
                    new SourcePosition(Integer.parseInt(frame.group(3)), Integer.parseInt(frame.group(4)));
            PositionMap own = positions.get(source);
            SourcePosition place = own != null ? own.toOriginal(written) : libraryPosition(source, written);
            if (!place.isKnown() || kept++ >= MAX_FRAMES) {
                continue;
            }
            first = first.isKnown() || own == null ? first : place;
            frames.append(frames.isEmpty() ? "" : "\n").append(frameText(frame.group(1), source, place));
        }
        return new StackTraceMapper(head.toString(), frames.toString(), first);
    }

    /** Returns the whole trace as text. */
    String fullText() {
        return frames.isEmpty() ? head : head + "\n" + frames;
    }

    /** The code of a module begins below the first line of its wrapper. */
    private static SourcePosition libraryPosition(String source, SourcePosition written) {
        return source.startsWith(LIBRARY_PREFIX) && written.line() > 1
                ? new SourcePosition(written.line() - 1, written.column())
                : SourcePosition.UNKNOWN;
    }

    private static String frameText(@Nullable String function, String source, SourcePosition place) {
        String at = source + ":" + place.line() + ":" + place.column();
        // The engine calls a function without a name ":=>".
        boolean nameless =
                function == null || function.isEmpty() || function.contains("=>") || function.startsWith("$main$");
        return nameless ? "    at " + at : "    at " + function + " (" + at + ")";
    }
}
