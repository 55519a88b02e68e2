@NullMarked
package org.sallyport.connector.external;

import org.jspecify.annotations.NullMarked;
