/**
 * Tests of the shipped service: the tests start it as a process and use and observe it only from outside. Knows nothing
 * of its internals.
 */
@NullMarked
package org.sallyport.it;

import org.jspecify.annotations.NullMarked;
