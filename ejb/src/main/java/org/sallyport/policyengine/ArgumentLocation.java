package org.sallyport.policyengine;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.HashMap;
import java.util.Map;

/**
 * A location in the arguments of calls that rules of a policy read.
 *
 * @param index index from 0, unique within the policy
 */
record ArgumentLocation(JsonPointer pointer, int index) {

    /** Assigns the indexes of one policy during parsing. Not thread-safe. */
    static final class ArgumentLocationRegistry {
        private final Map<JsonPointer, ArgumentLocation> locations = new HashMap<>();

        /** Returns the same location for the same pointer. */
        ArgumentLocation of(JsonPointer pointer) {
            return locations.computeIfAbsent(pointer, first -> new ArgumentLocation(first, locations.size()));
        }
    }
}
