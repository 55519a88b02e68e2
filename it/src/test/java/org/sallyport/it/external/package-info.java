/**
 * Tests of the service with a database and a message broker that are processes of their own, and of what callers notice
 * when those go away. Knows of both only how they are started and ended.
 */
@NullMarked
package org.sallyport.it.external;

import org.jspecify.annotations.NullMarked;
