/**
 * Speaks to MCP servers through the official Java SDK: keeps their processes or connections alive, and keeps what they do
 * wrong to themselves. Knows nothing of messages and of the database.
 */
@NullMarked
package org.sallyport.connector.mcp;

import org.jspecify.annotations.NullMarked;
