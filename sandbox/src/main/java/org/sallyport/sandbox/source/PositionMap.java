package org.sallyport.sandbox.source;

/** The way from a place in prepared text back to the text it was made from. Immutable. */
@FunctionalInterface
public interface PositionMap {

    /** The place that {@code place} was made from, {@link Place#UNKNOWN} when it was made from nothing. */
    Place original(Place place);

    /** This way, then {@code further} back. */
    default PositionMap then(PositionMap further) {
        return place -> {
            Place back = original(place);
            return back.known() ? further.original(back) : back;
        };
    }

    /** Text that stands where it stood. */
    static PositionMap unchanged() {
        return place -> place;
    }
}
