package org.sallyport.redaction;

import org.sallyport.tool.Json;

/**
 * Name and payload of an event without the tenant's secrets. Every emitter stores an event in this form, because other
 * executions and subscribers of the tenant read it.
 */
public record RedactedEvent(String name, Json data) {

    /** Removes the values that {@code redactor} knows. */
    public static RedactedEvent of(String name, Json data, Redactor redactor) {
        return new RedactedEvent(redactor.redact(name), ToolResultRedactor.redact(data, redactor));
    }
}
