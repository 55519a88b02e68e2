/** What survives the death of a server: one server is killed, and each promise that it had made is looked into. */
@NullMarked
package org.sallyport.it.death;

import org.jspecify.annotations.NullMarked;
