/** Compares the API description with the code that it describes. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.openapi;

import org.jspecify.annotations.NullMarked;
