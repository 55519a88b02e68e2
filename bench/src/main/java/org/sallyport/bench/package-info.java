/**
 * The benchmark command: the rows of each command, their order and their durations. Uses the service only as its
 * users do.
 */
@NullMarked
package org.sallyport.bench;

import org.jspecify.annotations.NullMarked;
