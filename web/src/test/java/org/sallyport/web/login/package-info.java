/** Tests of login and logout. Knows nothing of a running server. */
@NullMarked
package org.sallyport.web.login;

import org.jspecify.annotations.NullMarked;
