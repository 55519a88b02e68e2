/**
 * Named places at which the death of a node matters most, so that tests can end the process exactly there. Knows
 * nothing else, and does nothing unless a test adds its own class to the application.
 */
@NullMarked
package org.sallyport.failpoint;

import org.jspecify.annotations.NullMarked;
