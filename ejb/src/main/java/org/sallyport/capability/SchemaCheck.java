package org.sallyport.capability;

import java.util.Optional;
import org.sallyport.tool.Json;

/** Judges values by JSON Schemas. Thread-safe. */
public interface SchemaCheck {

    /** Why {@code schema} is not usable; empty when it is. */
    Optional<String> unusable(Json schema);

    /** The first thing that is wrong with {@code value} by a schema that is usable; empty when nothing is. */
    Optional<Fault> fault(Json schema, Json value);

    /**
     * What is wrong.
     *
     * @param pointer JSON pointer to where; empty for the whole
     * @param reason what, in words
     */
    record Fault(String pointer, String reason) {}
}
