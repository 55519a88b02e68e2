package org.sallyport.sandbox.guest;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.source.Place;
import org.sallyport.sandbox.source.PositionMap;

/** A stack trace as the engine writes it, brought back to the author's lines; frames that are not the author's go. */
record StackText(String head, String frames, Place place) {
    private static final int MAX_FRAMES = 30;
    private static final int MAX_HEAD = 10_000;
    private static final Pattern FRAME =
            Pattern.compile("^\\s+at (?:(.*) )?\\(?([^\\s()]*):(\\d{1,9}):(\\d{1,9})\\)?$");
    private static final Pattern OTHER_FRAME = Pattern.compile("^\\s+at .*");

    /** Begins the names of library modules' sources. */
    static final String LIBRARY = "library:";

    /** @param positions how places in the author's sources, by name, become the author's own */
    static StackText of(String stack, Map<String, PositionMap> positions) {
        StringBuilder head = new StringBuilder();
        StringBuilder frames = new StringBuilder();
        Place first = Place.UNKNOWN;
        int kept = 0;
        for (String line : stack.split("\n", -1)) {
            Matcher frame = FRAME.matcher(line);
            if (!frame.matches()) {
                if (!OTHER_FRAME.matcher(line).matches() && head.length() < MAX_HEAD) {
                    head.append(head.isEmpty() ? "" : "\n").append(line);
                }
                continue;
            }
            String source = frame.group(2);
            Place written = new Place(Integer.parseInt(frame.group(3)), Integer.parseInt(frame.group(4)));
            PositionMap own = positions.get(source);
            Place place = own != null ? own.original(written) : inLibrary(source, written);
            if (!place.known() || kept++ >= MAX_FRAMES) {
                continue;
            }
            first = first.known() || own == null ? first : place;
            frames.append(frames.isEmpty() ? "" : "\n").append(frameText(frame.group(1), source, place));
        }
        return new StackText(head.toString(), frames.toString(), first);
    }

    /** The whole trace as text. */
    String text() {
        return frames.isEmpty() ? head : head + "\n" + frames;
    }

    /** A module's code stands below the first line of its wrapper. */
    private static Place inLibrary(String source, Place written) {
        return source.startsWith(LIBRARY) && written.line() > 1
                ? new Place(written.line() - 1, written.column())
                : Place.UNKNOWN;
    }

    private static String frameText(@Nullable String function, String source, Place place) {
        String at = source + ":" + place.line() + ":" + place.column();
        // The engine calls a function without a name ":=>".
        boolean nameless =
                function == null || function.isEmpty() || function.contains("=>") || function.startsWith("$main$");
        return nameless ? "    at " + at : "    at " + function + " (" + at + ")";
    }
}
