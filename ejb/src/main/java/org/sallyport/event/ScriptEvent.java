package org.sallyport.event;

import org.sallyport.tool.Json;

/**
 * An event that a script emitted for the scripts of its tenant.
 *
 * @param seq its sequence number among all events of the tenant, from 1, without gaps
 * @param name its name
 * @param data its payload
 */
public record ScriptEvent(long seq, String name, Json data) {
    /** Maximum length of a name in characters. */
    public static final int MAX_NAME_LENGTH = 200;
}
