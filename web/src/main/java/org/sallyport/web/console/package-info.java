/** Serves the console's files. Knows nothing of their content. */
@NullMarked
package org.sallyport.web.console;

import org.jspecify.annotations.NullMarked;
