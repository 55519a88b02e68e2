/** Tests of tool calls. */
@NullMarked
package org.sallyport.tool;

import org.jspecify.annotations.NullMarked;
