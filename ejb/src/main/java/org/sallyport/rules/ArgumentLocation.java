package org.sallyport.rules;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.HashMap;
import java.util.Map;

/**
 * A place in the arguments of calls that rules of a policy look at.
 *
 * @param index from 0, another one for each place of the policy
 */
record ArgumentLocation(JsonPointer pointer, int index) {

    /** Numbers the places of one policy while it is read. Not thread-safe. */
    static final class ArgumentLocationRegistry {
        private final Map<JsonPointer, ArgumentLocation> locations = new HashMap<>();

        /** The same place whenever the same pointer is given. */
        ArgumentLocation of(JsonPointer pointer) {
            return locations.computeIfAbsent(pointer, first -> new ArgumentLocation(first, locations.size()));
        }
    }
}
