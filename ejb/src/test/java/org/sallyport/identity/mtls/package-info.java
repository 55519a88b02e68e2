@NullMarked
package org.sallyport.identity.mtls;

import org.jspecify.annotations.NullMarked;
