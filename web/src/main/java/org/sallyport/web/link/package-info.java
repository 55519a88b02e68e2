/** The door for people who come by a link and decide one approval. Knows nothing of sessions. */
@NullMarked
package org.sallyport.web.link;

import org.jspecify.annotations.NullMarked;
