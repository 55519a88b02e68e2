package org.sallyport.rules;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.HashMap;
import java.util.Map;

/**
 * A place in the arguments of calls that rules of a policy look at.
 *
 * @param number from 0, another one for each place of the policy
 */
record Place(JsonPointer pointer, int number) {

    /** Numbers the places of one policy while it is read. Not thread-safe. */
    static final class Numbers {
        private final Map<JsonPointer, Place> known = new HashMap<>();

        /** The same place whenever the same pointer is given. */
        Place of(JsonPointer pointer) {
            return known.computeIfAbsent(pointer, first -> new Place(first, known.size()));
        }
    }
}
