/** Tests of connectors, without a broker. */
@NullMarked
package org.sallyport.connector;

import org.jspecify.annotations.NullMarked;
