/**
 * Names of the destinations and the messages on them, once for all: versioned records and their JSON, and the sender that
 * keeps its producers open. Knows nothing of why a message is sent.
 */
@NullMarked
package org.sallyport.messaging;

import org.jspecify.annotations.NullMarked;
