/**
 * How the server's records are written as JSON. On the class path of the Java VM rather than in the application, since the VM's logging
 * is set up before any application. Knows Java alone.
 */
@NullMarked
package org.sallyport.logging;

import org.jspecify.annotations.NullMarked;
