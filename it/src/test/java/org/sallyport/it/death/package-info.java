/** Tests of crash recovery: one server is killed, and each promise that it had made is verified on the next one. */
@NullMarked
package org.sallyport.it.death;

import org.jspecify.annotations.NullMarked;
