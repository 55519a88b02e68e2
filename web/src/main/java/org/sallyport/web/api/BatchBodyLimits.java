package org.sallyport.web.api;

import java.util.Set;

/**
 * What the body of a batch may have.
 *
 * @param maxItemBytes maximum size of an item, and of all other members together, in bytes; a larger item is not read
 * @param maxItems maximum number of items; counting stops one item above it
 * @param knownMembers the members of a body that is an object
 */
record BatchBodyLimits(long maxItemBytes, int maxItems, Set<String> knownMembers) {
    BatchBodyLimits {
        knownMembers = Set.copyOf(knownMembers);
    }
}
