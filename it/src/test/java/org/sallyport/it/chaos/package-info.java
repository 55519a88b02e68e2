/**
 * Kills the service under load and at every step that could be left half done, restarts it on the same data, and
 * compares its answers with its earlier promises. The tests kill only processes that they started.
 */
@NullMarked
package org.sallyport.it.chaos;

import org.jspecify.annotations.NullMarked;
