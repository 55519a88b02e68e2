/** Serves the description of the interface. Knows nothing of what it describes; tests hold the two together. */
@NullMarked
package org.sallyport.web.openapi;

import org.jspecify.annotations.NullMarked;
