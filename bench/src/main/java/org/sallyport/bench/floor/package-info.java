/**
 * The baselines: the minimum cost of the work of one execution on this machine, measured with the broker, the database
 * and the MCP SDK without the service. Knows the shipped configuration of the broker, and nothing of the service.
 */
@NullMarked
package org.sallyport.bench.floor;

import org.jspecify.annotations.NullMarked;
