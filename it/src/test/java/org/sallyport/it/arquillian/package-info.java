/**
 * Tests inside a server: the shipped application with the test class added. Knows the services that it injects, and how
 * Arquillian authenticates.
 */
@NullMarked
package org.sallyport.it.arquillian;

import org.jspecify.annotations.NullMarked;
