package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.Problem;

/** The items in the body of a batch, in their order. They are read one by one, as often as needed. */
interface BatchItemDocuments {

    /** Number of items. */
    int count();

    /** A new iteration that starts at the first item. */
    Iterator<ItemDocument> read();

    /** The line of the body, from 1, in which an item begins; 0 if the items have no lines of their own. */
    long line(int index);

    /**
     * One item: its members, or the reason why it has none.
     *
     * @param members members of a submission
     * @param problem why the item cannot be read
     * @param row the row of which the members were made
     */
    record ItemDocument(
            @Nullable ObjectNode members, @Nullable Problem problem, Optional<JsonNode> row) {
        static ItemDocument of(ObjectNode members) {
            return new ItemDocument(members, null, Optional.empty());
        }

        static ItemDocument unreadable(Problem problem) {
            return new ItemDocument(null, problem, Optional.empty());
        }

        ItemDocument withRow(JsonNode source) {
            return new ItemDocument(members, problem, Optional.of(source));
        }
    }
}
