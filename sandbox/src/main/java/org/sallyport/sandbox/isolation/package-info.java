/**
 * What the operating system keeps from a worker: finds out what works here and wraps a worker's command in it. Knows
 * neither scripts nor frames; starts nothing but its own trials.
 */
@NullMarked
package org.sallyport.sandbox.isolation;

import org.jspecify.annotations.NullMarked;
