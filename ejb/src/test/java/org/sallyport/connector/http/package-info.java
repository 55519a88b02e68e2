@NullMarked
package org.sallyport.connector.http;

import org.jspecify.annotations.NullMarked;
