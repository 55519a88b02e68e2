/** Logging in and out at the console. Knows keys and cookies; nothing of pages. */
@NullMarked
package org.sallyport.web.session;

import org.jspecify.annotations.NullMarked;
