package org.sallyport.event;

import org.sallyport.tool.Json;

/**
 * An event for the scripts of a tenant.
 *
 * @param seq its sequence number among all events of the tenant, from 1, without gaps
 * @param name its name
 * @param data its payload
 */
public record ScriptEvent(long seq, String name, Json data) {
    /** Maximum length of a name in characters. */
    public static final int MAX_NAME_LENGTH = 200;
}
