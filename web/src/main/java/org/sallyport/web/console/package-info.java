/** Serves the console's files. Knows nothing of what they show. */
@NullMarked
package org.sallyport.web.console;

import org.jspecify.annotations.NullMarked;
