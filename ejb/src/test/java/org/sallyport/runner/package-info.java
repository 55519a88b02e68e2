/** Tests of the runner, with a sandbox and a store that each test controls. */
@NullMarked
package org.sallyport.runner;

import org.jspecify.annotations.NullMarked;
