/**
 * API for custom tools: annotations for a CDI bean and its methods, the context of a call, and the exception of a
 * failed call. A bean of the service and a bean in a jar of an administrator use the same types. Knows nothing of how
 * such beans are found and called.
 */
@NullMarked
package org.sallyport.bean;

import org.jspecify.annotations.NullMarked;
