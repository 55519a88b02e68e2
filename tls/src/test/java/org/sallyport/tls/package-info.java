@NullMarked
package org.sallyport.tls;

import org.jspecify.annotations.NullMarked;
