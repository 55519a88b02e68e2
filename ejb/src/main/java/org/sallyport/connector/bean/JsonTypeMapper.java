package org.sallyport.connector.bean;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A type of Java as JSON: what is said of it and what is read of it are one, so that nothing fits the schema and not the method. Thread-safe. */
interface JsonTypeMapper {

    /** JSON Schema of its values, a new one. */
    ObjectNode schema();

    /**
     * The value that {@code json} is.
     *
     * @param path where it is, for the exception's message
     * @throws BeanMappingException when it is none
     */
    Object read(JsonNode json, String path);

    /**
     * {@code value} in JSON.
     *
     * @throws BeanMappingException when it has none, such as a number that is not finite
     */
    JsonNode write(Object value, String path);
}
