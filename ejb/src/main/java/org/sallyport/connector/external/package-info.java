/**
 * Communicates with connectors in other processes, in any language, over the broker: sends calls to the queue of their
 * backend, and receives replies on a queue of this node and that backend, and status messages on a topic. Trusts a
 * connector with its own backend's calls and with nothing else.
 */
@NullMarked
package org.sallyport.connector.external;

import org.jspecify.annotations.NullMarked;
