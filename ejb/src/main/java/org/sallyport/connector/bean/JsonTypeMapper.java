package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Maps a Java type to JSON. One object provides both the schema and the reader, so that a value which matches the
 * schema also fits the method. Thread-safe.
 */
interface JsonTypeMapper {

    /** Returns a new JSON Schema of the values. */
    ObjectNode schema();

    /**
     * Converts {@code json} to a value.
     *
     * @param path place of the value, for the message of the exception
     * @throws BeanMappingException if {@code json} does not match the type
     */
    Object read(JsonNode json, String path);

    /**
     * Converts {@code value} to JSON.
     *
     * @throws BeanMappingException if the value has no JSON form, such as a number that is not finite
     */
    JsonNode write(Object value, String path);
}
