package org.sallyport.sandbox.parser;

/** Maps a position in a prepared text back to the text it was made from. Immutable. */
@FunctionalInterface
public interface PositionMap {

    /** Returns the original of {@code place}, or {@link SourcePosition#UNKNOWN} when it has no original. */
    SourcePosition toOriginal(SourcePosition place);

    /** Returns a map that applies this map and then {@code further}. */
    default PositionMap then(PositionMap further) {
        return place -> {
            SourcePosition back = toOriginal(place);
            return back.isKnown() ? further.toOriginal(back) : back;
        };
    }

    /** Returns the map of an unchanged text. */
    static PositionMap identity() {
        return place -> place;
    }
}
