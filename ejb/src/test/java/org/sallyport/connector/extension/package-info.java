@org.jspecify.annotations.NullMarked
package org.sallyport.connector.extension;
