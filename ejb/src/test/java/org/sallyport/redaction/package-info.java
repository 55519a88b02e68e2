@NullMarked
package org.sallyport.redaction;

import org.jspecify.annotations.NullMarked;
