/**
 * The endpoint for agents: the Model Context Protocol over Streamable HTTP. Decodes messages, keeps sessions, and runs
 * its tools through the same services as the REST API. Knows nothing of how work is stored, queued or run.
 */
@NullMarked
package org.sallyport.web.mcp;

import org.jspecify.annotations.NullMarked;
