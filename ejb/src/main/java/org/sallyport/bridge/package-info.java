/**
 * The only path from a script to its tools: authorizes each call (grant, existence, policy, schema), sends it to its
 * backend's queue and returns the reply to the caller. Knows nothing of workers, and of connectors only their queues.
 */
@NullMarked
package org.sallyport.bridge;

import org.jspecify.annotations.NullMarked;
