@NullMarked
package org.sallyport.web.stream;

import org.jspecify.annotations.NullMarked;
