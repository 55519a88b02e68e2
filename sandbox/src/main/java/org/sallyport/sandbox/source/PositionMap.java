package org.sallyport.sandbox.source;

/** The way from a place in prepared text back to the text it was made from. Immutable. */
@FunctionalInterface
public interface PositionMap {

    /** The place that {@code place} was made from, {@link SourcePosition#UNKNOWN} when it was made from nothing. */
    SourcePosition toOriginal(SourcePosition place);

    /** This way, then {@code further} back. */
    default PositionMap then(PositionMap further) {
        return place -> {
            SourcePosition back = toOriginal(place);
            return back.isKnown() ? further.toOriginal(back) : back;
        };
    }

    /** Text that stands where it stood. */
    static PositionMap identity() {
        return place -> place;
    }
}
