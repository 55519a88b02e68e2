/** Tests of the delivery of the console's files. Knows nothing of a browser. */
@NullMarked
package org.sallyport.web.console;

import org.jspecify.annotations.NullMarked;
