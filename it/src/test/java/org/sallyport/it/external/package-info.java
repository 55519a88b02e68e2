/**
 * Tests of the service with an external database and message broker, and of the effects on callers when these fail.
 * Knows only how to start and stop both.
 */
@NullMarked
package org.sallyport.it.external;

import org.jspecify.annotations.NullMarked;
