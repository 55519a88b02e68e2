/**
 * Policies as people write them: JSON documents of rules. Knows nothing of where they are kept or of who is judged.
 */
@NullMarked
package org.sallyport.rules;

import org.jspecify.annotations.NullMarked;
