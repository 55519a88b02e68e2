/** Login and logout at the console. Knows keys and cookies; knows nothing of pages. */
@NullMarked
package org.sallyport.web.login;

import org.jspecify.annotations.NullMarked;
