/** Tests of how the console's files are sent. Knows nothing of a browser. */
@NullMarked
package org.sallyport.web.console;

import org.jspecify.annotations.NullMarked;
