package org.sallyport.sandbox.guest;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.sandbox.source.Place;
import org.sallyport.sandbox.source.PositionMap;

/** A stack trace as the engine writes it, brought back to the author's lines; frames that are not the author's go. */
record StackText(String head, String frames, Place place) {
    private static final int MAX_FRAMES = 30;
    private static final int MAX_HEAD = 10_000;
    private static final Pattern FRAME =
            Pattern.compile("^\\s+at (?:(.*) )?\\(?([^\\s()]*):(\\d{1,9}):(\\d{1,9})\\)?$");
    private static final Pattern OTHER_FRAME = Pattern.compile("^\\s+at .*");

    static StackText of(String stack, PositionMap positions) {
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
            Place place = frame.group(2).equals(GuestEngine.SCRIPT)
                    ? positions.original(new Place(Integer.parseInt(frame.group(3)), Integer.parseInt(frame.group(4))))
                    : Place.UNKNOWN;
            if (!place.known() || kept++ >= MAX_FRAMES) {
                continue;
            }
            first = first.known() ? first : place;
            frames.append(frames.isEmpty() ? "" : "\n").append(frameText(frame.group(1), place));
        }
        return new StackText(head.toString(), frames.toString(), first);
    }

    /** The whole trace as text. */
    String text() {
        return frames.isEmpty() ? head : head + "\n" + frames;
    }

    private static String frameText(@org.jspecify.annotations.Nullable String function, Place place) {
        String at = GuestEngine.SCRIPT + ":" + place.line() + ":" + place.column();
        // The engine calls a function without a name ":=>".
        boolean nameless =
                function == null || function.isEmpty() || function.contains("=>") || function.startsWith("$main$");
        return nameless ? "    at " + at : "    at " + function + " (" + at + ")";
    }
}
