/**
 * Beans of the application as backends: reads their annotations, derives schemas from signatures, and calls methods. Knows nothing of how beans are found,
 * so that it runs without a container.
 */
@NullMarked
package org.sallyport.connector.bean;

import org.jspecify.annotations.NullMarked;
