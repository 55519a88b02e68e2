/**
 * Classes that these tests add to the service's archive and that run in its process. The only thing that they know of
 * the tests is a directory.
 */
@NullMarked
package org.sallyport.it.chaos.inside;

import org.jspecify.annotations.NullMarked;
