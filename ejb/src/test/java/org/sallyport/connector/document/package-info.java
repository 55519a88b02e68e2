/** Tests of the reading of JSON and YAML. */
@NullMarked
package org.sallyport.connector.document;

import org.jspecify.annotations.NullMarked;
