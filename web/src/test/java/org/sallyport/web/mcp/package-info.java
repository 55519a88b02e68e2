@NullMarked
package org.sallyport.web.mcp;

import org.jspecify.annotations.NullMarked;
