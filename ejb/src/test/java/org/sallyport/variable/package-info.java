@NullMarked
package org.sallyport.variable;

import org.jspecify.annotations.NullMarked;
