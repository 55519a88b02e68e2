/**
 * Accepts work: checks a submission, commits it, then sends its job. Knows nothing of HTTP; of running it knows only
 * that a job message wakes a node.
 */
@NullMarked
package org.sallyport.submission;

import org.jspecify.annotations.NullMarked;
