/** Words of calls. */
@NullMarked
package org.sallyport.tool;

import org.jspecify.annotations.NullMarked;
