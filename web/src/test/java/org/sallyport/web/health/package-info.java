/** Tests of the health check. */
@NullMarked
package org.sallyport.web.health;

import org.jspecify.annotations.NullMarked;
