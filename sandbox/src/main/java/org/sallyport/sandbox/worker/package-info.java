/**
 * The small process that scripts run in: a {@link org.sallyport.sandbox.guest.GuestRuntime} at one end of a socket. It
 * lives no longer than the socket. Knows no tenant and nothing of the server but its frames.
 */
@NullMarked
package org.sallyport.sandbox.worker;

import org.jspecify.annotations.NullMarked;
