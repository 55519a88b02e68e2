@NullMarked
package org.sallyport.connector.mcp;

import org.jspecify.annotations.NullMarked;
