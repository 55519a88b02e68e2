/** What is put into the service's archive for these tests and runs in its process. Knows of the tests only a directory. */
@NullMarked
package org.sallyport.it.chaos.inside;

import org.jspecify.annotations.NullMarked;
