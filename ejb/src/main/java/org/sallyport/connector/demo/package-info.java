/** The demo backend: harmless tools for examples, first steps and crash tests. Knows nothing of messages. */
@NullMarked
package org.sallyport.connector.demo;

import org.jspecify.annotations.NullMarked;
