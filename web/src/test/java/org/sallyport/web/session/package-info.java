/** Tests of login and logout. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.session;

import org.jspecify.annotations.NullMarked;
