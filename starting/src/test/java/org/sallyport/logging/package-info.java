@NullMarked
package org.sallyport.logging;

import org.jspecify.annotations.NullMarked;
