@NullMarked
package org.sallyport.connector.bean;

import org.jspecify.annotations.NullMarked;
