/** A server that speaks MCP, which both the service and the bare SDK are measured with. A program of its own that knows nothing of the rest. */
@NullMarked
package org.sallyport.bench.mcp;

import org.jspecify.annotations.NullMarked;
