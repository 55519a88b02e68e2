/** Says whether the service lives and can work, to whoever asks: no more than that without a key. */
@NullMarked
package org.sallyport.web.health;

import org.jspecify.annotations.NullMarked;
