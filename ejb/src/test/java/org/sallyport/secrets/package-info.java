@NullMarked
package org.sallyport.secrets;

import org.jspecify.annotations.NullMarked;
