/** Login and logout at the console. Knows keys and cookies; knows nothing of pages. */
@NullMarked
package org.sallyport.web.session;

import org.jspecify.annotations.NullMarked;
