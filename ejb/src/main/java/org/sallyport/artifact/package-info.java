/** Files that scripts keep with their execution. Pure: knows no database, no JSON and nobody who asks for them. */
@NullMarked
package org.sallyport.artifact;

import org.jspecify.annotations.NullMarked;
