/**
 * What is at the address of the service before the service is: an agent of the server's Java VM that takes the port first, says to
 * everybody that the service is starting, and makes room when it has. Knows Java alone.
 */
@NullMarked
package org.sallyport.starting;

import org.jspecify.annotations.NullMarked;
