/**
 * Responses that arrive over time. They are written chunk by chunk, the next chunk only after the previous one is sent,
 * and hold no thread in between. Knows nothing of the content.
 */
@NullMarked
package org.sallyport.web.async;

import org.jspecify.annotations.NullMarked;
