/**
 * The small process that scripts run in: a {@link org.sallyport.sandbox.guest.GuestRuntime} at one end of a socket. It
 * exits when the socket closes. Knows no tenant, and of the server only its frames.
 */
@NullMarked
package org.sallyport.sandbox.worker;

import org.jspecify.annotations.NullMarked;
