/** Tests of the architecture: dependencies between packages. */
@NullMarked
package org.sallyport.architecture;

import org.jspecify.annotations.NullMarked;
