/** Reports whether the service is alive and ready to any caller. Unauthenticated callers get no details. */
@NullMarked
package org.sallyport.web.health;

import org.jspecify.annotations.NullMarked;
