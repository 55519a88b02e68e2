/**
 * What server and worker say to each other: {@link org.sallyport.sandbox.protocol.Frame frames} as JSON, each with its
 * length before it, over one Unix domain socket. Knows neither engine nor process; it does not judge whether a frame
 * makes sense at this point, only whether it is well formed.
 */
@NullMarked
package org.sallyport.sandbox.protocol;

import org.jspecify.annotations.NullMarked;
