/**
 * Speaks to connectors of other processes, whatever they are written in, over the broker: sends them calls on a queue of their
 * backend, hears their answers on one of this node and that backend, and what they say of themselves. Trusts them with their own
 * backend's calls and with nothing else.
 */
@NullMarked
package org.sallyport.connector.external;

import org.jspecify.annotations.NullMarked;
