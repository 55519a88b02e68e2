/** Holds the description of the interface and the code that it describes together. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.openapi;

import org.jspecify.annotations.NullMarked;
