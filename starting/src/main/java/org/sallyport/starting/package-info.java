/**
 * Takes the port of the service before the service itself: answers that the service is starting, and frees the port
 * when it has started. Knows only Java.
 */
@NullMarked
package org.sallyport.starting;

import org.jspecify.annotations.NullMarked;
