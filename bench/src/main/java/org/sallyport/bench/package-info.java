/**
 * The benchmark command: what is measured in which order, and for how long. Knows the service only as its users do.
 */
@NullMarked
package org.sallyport.bench;

import org.jspecify.annotations.NullMarked;
