/** State of the demo backend, as examples, the first steps and crash tests expect it. Knows nothing of its storage. */
@NullMarked
package org.sallyport.demo;

import org.jspecify.annotations.NullMarked;
