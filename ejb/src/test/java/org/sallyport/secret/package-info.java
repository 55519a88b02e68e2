@NullMarked
package org.sallyport.secret;

import org.jspecify.annotations.NullMarked;
