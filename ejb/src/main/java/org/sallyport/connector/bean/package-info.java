/**
 * Beans of the application as backends: reads their annotations, derives schemas from method signatures, and calls the
 * methods. Does not know how beans are found, so that it runs without a container.
 */
@NullMarked
package org.sallyport.connector.bean;

import org.jspecify.annotations.NullMarked;
