/** The connector that {@code docs/connector-java.md} develops, and its test. */
@NullMarked
package org.sallyport.connector.example;

import org.jspecify.annotations.NullMarked;
