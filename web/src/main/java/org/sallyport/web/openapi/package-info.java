/** Serves the OpenAPI document. Knows nothing of the described operations; tests keep both consistent. */
@NullMarked
package org.sallyport.web.openapi;

import org.jspecify.annotations.NullMarked;
