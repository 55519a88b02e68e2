/**
 * The baselines: the minimum cost of the work of one execution on this machine, measured with the bare broker, the bare
 * database and the bare MCP SDK. Knows the shipped configuration of the broker, and nothing of the service.
 */
@NullMarked
package org.sallyport.bench.floor;

import org.jspecify.annotations.NullMarked;
