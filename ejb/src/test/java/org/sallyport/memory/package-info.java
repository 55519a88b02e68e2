@NullMarked
package org.sallyport.memory;

import org.jspecify.annotations.NullMarked;
