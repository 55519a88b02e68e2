/**
 * Tests inside a server: the application as it ships, with the test class added. Knows the rooms it asks for, and what
 * Arquillian needs to get in.
 */
@NullMarked
package org.sallyport.it.arquillian;

import org.jspecify.annotations.NullMarked;
