/** Reads documents and files in JSON or YAML 1.2. Knows nothing of their contents. */
@NullMarked
package org.sallyport.connector.document;

import org.jspecify.annotations.NullMarked;
