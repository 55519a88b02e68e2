/** The endpoint for people who open a link and decide one approval. Knows nothing of sessions. */
@NullMarked
package org.sallyport.web.link;

import org.jspecify.annotations.NullMarked;
