/** Assembles the server: the only package that depends on all others. No package depends on it. */
@NullMarked
package org.sallyport.server;

import org.jspecify.annotations.NullMarked;
