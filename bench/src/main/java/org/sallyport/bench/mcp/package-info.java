/**
 * An MCP server for the measurements of both the service and the bare SDK. A separate program that knows nothing of the
 * rest of the benchmark.
 */
@NullMarked
package org.sallyport.bench.mcp;

import org.jspecify.annotations.NullMarked;
