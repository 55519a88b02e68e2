/**
 * Jars of administrators with beans that are backends: checks the directory and its jars, and loads the bean classes in
 * a class loader that hides the classes of the service. Does not know how the container makes beans of the classes.
 */
@NullMarked
package org.sallyport.connector.extension;

import org.jspecify.annotations.NullMarked;
