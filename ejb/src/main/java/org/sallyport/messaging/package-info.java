/**
 * Names of the JMS destinations, the messages sent on them (versioned records and their JSON), and a sender that keeps
 * its producers open. Knows nothing of why a message is sent.
 */
@NullMarked
package org.sallyport.messaging;

import org.jspecify.annotations.NullMarked;
