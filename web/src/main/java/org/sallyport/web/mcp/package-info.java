/**
 * The door for agents: the Model Context Protocol over Streamable HTTP. Decodes messages, keeps sessions, and does what its tools
 * name by the same calls as the REST API. Knows nothing of how work is stored, queued or run.
 */
@NullMarked
package org.sallyport.web.mcp;

import org.jspecify.annotations.NullMarked;
