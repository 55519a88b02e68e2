/** Tests of running, with a sandbox and a store that do what each test says. */
@NullMarked
package org.sallyport.runner;

import org.jspecify.annotations.NullMarked;
