@NullMarked
package org.sallyport.connector.demo;

import org.jspecify.annotations.NullMarked;
