/** The REST API: resources, representations and problems. Knows nothing of keys. */
@NullMarked
package org.sallyport.web.api;

import org.jspecify.annotations.NullMarked;
