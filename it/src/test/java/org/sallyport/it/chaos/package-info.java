/**
 * Kills the service under load and at every step at which half could be done, starts it again on what is left, and compares
 * what it then says with what it had promised. Only processes that were started here are ever ended.
 */
@NullMarked
package org.sallyport.it.chaos;

import org.jspecify.annotations.NullMarked;
