/**
 * With what one writes tools of one's own: annotations on a CDI bean and its methods, what a method may ask of its call, and how it fails. Knows nothing
 * of how such beans are found and called.
 */
@NullMarked
package org.sallyport.bean;

import org.jspecify.annotations.NullMarked;
