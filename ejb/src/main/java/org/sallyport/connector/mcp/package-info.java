/**
 * Communicates with MCP servers through the official Java SDK: keeps their processes or connections alive, and confines
 * their faults. Knows nothing of messages and of the database.
 */
@NullMarked
package org.sallyport.connector.mcp;

import org.jspecify.annotations.NullMarked;
