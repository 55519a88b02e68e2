@NullMarked
package org.sallyport.starting;

import org.jspecify.annotations.NullMarked;
