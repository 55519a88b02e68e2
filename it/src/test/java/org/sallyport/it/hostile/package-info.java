/**
 * Hostile input: rows of things to do to a running service, each with what must come of it, done beside a victim that is
 * probed all the time and with canaries planted wherever a script must not look. Rows are data: the scripts among them lie
 * in {@code *.rows} files beside this package, the others are small methods.
 *
 * <p>{@code ./mvnw verify} does the fast rows, {@code ./sallyport hostile} all of them; {@code docs/hostile.md} says how to
 * read the table that comes out. Knows of the service what its callers know, and its processes as the operating system
 * shows them.
 */
@NullMarked
package org.sallyport.it.hostile;

import org.jspecify.annotations.NullMarked;
