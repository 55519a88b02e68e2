/** Files that scripts store with their execution. Knows nothing of databases, JSON or callers. */
@NullMarked
package org.sallyport.artifact;

import org.jspecify.annotations.NullMarked;
