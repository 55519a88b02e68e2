/** Tests of calls to another installation, which a fake replaces. */
@NullMarked
package org.sallyport.connector.sallyport;

import org.jspecify.annotations.NullMarked;
