@NullMarked
package org.sallyport.submission.rows;

import org.jspecify.annotations.NullMarked;
