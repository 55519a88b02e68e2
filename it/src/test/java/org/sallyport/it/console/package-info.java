/** The console, used in a browser and attacked from beside it. Knows addresses, words on pages, and what axe says. */
@NullMarked
package org.sallyport.it.console;

import org.jspecify.annotations.NullMarked;
