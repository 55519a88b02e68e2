@NullMarked
package org.sallyport.web.webhook;

import org.jspecify.annotations.NullMarked;
