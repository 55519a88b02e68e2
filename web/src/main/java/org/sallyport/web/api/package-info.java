/** The REST API: resources, representations and problems. Knows nothing of authentication. */
@NullMarked
package org.sallyport.web.api;

import org.jspecify.annotations.NullMarked;
