/**
 * The only way out of the sandbox: checks each call (granted? policy? schema?), sends it to its backend's queue and brings
 * the reply back to whoever waits. Knows nothing of workers, and of connectors only their queues.
 */
@NullMarked
package org.sallyport.bridge;

import org.jspecify.annotations.NullMarked;
