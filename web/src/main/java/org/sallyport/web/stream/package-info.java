/**
 * Answers that go on for as long as there is something to say: written piece by piece, the next only when the one before has
 * gone, and no thread held in between. Knows nothing of what is said.
 */
@NullMarked
package org.sallyport.web.stream;

import org.jspecify.annotations.NullMarked;
