/** Tests of message formats and of the connector contract. */
@NullMarked
package org.sallyport.messaging;

import org.jspecify.annotations.NullMarked;
