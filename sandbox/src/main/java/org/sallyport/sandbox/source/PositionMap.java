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

    /** Text of {@code lines} lines that got {@code prefix} in front of its first line and more lines after its last. */
    static PositionMap prefixed(String prefix, int lines) {
        return place -> {
            if (place.line() < 1 || place.line() > lines) {
                return Place.UNKNOWN;
            }
            return place.line() == 1 ? new Place(1, Math.max(1, place.column() - prefix.length())) : place;
        };
    }
}
