/** Calls to another installation, whose part the tests play. */
@NullMarked
package org.sallyport.connector.sallyport;

import org.jspecify.annotations.NullMarked;
