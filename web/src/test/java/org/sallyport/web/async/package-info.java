@NullMarked
package org.sallyport.web.async;

import org.jspecify.annotations.NullMarked;
