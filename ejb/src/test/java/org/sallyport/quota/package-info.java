@NullMarked
package org.sallyport.quota;

import org.jspecify.annotations.NullMarked;
