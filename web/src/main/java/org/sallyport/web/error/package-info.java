/** Answers for what no room of the application has answered. Knows problems, and nothing of what was asked for. */
@NullMarked
package org.sallyport.web.error;

import org.jspecify.annotations.NullMarked;
