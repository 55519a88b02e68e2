/** Tests of the REST API's parts. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.api;

import org.jspecify.annotations.NullMarked;
