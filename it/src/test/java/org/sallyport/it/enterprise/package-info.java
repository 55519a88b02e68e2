/** Tests of the enterprise archive on a full application server, which runs as an operator would run it. */
@NullMarked
package org.sallyport.it.enterprise;

import org.jspecify.annotations.NullMarked;
