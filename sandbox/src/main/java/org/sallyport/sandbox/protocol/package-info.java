/**
 * The protocol between server and worker: {@link org.sallyport.sandbox.protocol.Frame frames} as JSON, each prefixed
 * with its length, over one Unix domain socket. Knows neither engine nor process. It checks only that a frame is well
 * formed, not whether the frame makes sense in the current state.
 */
@NullMarked
package org.sallyport.sandbox.protocol;

import org.jspecify.annotations.NullMarked;
