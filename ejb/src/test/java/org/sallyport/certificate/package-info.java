@NullMarked
package org.sallyport.certificate;

import org.jspecify.annotations.NullMarked;
