/**
 * Tests of the console, from inside a browser and from outside it as an attacker. Knows paths, texts of pages, and the
 * results of axe.
 */
@NullMarked
package org.sallyport.it.console;

import org.jspecify.annotations.NullMarked;
