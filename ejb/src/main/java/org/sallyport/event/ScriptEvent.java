package org.sallyport.event;

import org.sallyport.tool.Json;

/**
 * Something a script told the others of its tenant.
 *
 * @param seq its place among all events of the tenant, from 1, without gaps
 * @param name what it is called
 * @param data what it says
 */
public record ScriptEvent(long seq, String name, Json data) {
    /** Characters of a name, at most. */
    public static final int MAX_NAME_LENGTH = 200;
}
