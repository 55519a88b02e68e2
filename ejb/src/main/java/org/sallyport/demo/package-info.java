/**
 * The demo backend's state as examples, first steps and crash tests count with it. Knows nothing of how it is stored.
 */
@NullMarked
package org.sallyport.demo;

import org.jspecify.annotations.NullMarked;
