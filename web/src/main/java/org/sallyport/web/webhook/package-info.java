/** The addresses of inbound webhooks. Knows requests and tokens; knows nothing of what a delivery does. */
@NullMarked
package org.sallyport.web.webhook;

import org.jspecify.annotations.NullMarked;
