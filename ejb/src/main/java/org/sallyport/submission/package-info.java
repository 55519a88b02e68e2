/**
 * Accepting work: checks a submission, commits it, then sends its job. Knows nothing of HTTP, and of running only that a
 * job message wakes somebody.
 */
@NullMarked
package org.sallyport.submission;

import org.jspecify.annotations.NullMarked;
