/**
 * Writes the server's log records as JSON. On the class path of the Java VM instead of in the application, because the
 * VM configures logging before any application. Knows only Java.
 */
@NullMarked
package org.sallyport.logging;

import org.jspecify.annotations.NullMarked;
