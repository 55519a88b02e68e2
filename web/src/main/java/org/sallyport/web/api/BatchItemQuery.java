package org.sallyport.web.api;

import org.jspecify.annotations.Nullable;

/**
 * Which items of a batch a page has, and how much of them.
 *
 * @param unsuccessful only items that were refused, or whose executions have ended in another state than completed
 * @param results whether the items have their rows or arguments, and the results of their executions
 * @param limit maximum number of items
 * @param maxBytes size of the items as JSON, at which the page ends; a page has at least one item
 * @param maxValueBytes size above which a result, an error, a problem, a row or arguments are left out
 * @param cursor the {@code next} of the previous page
 */
public record BatchItemQuery(
        boolean unsuccessful,
        boolean results,
        int limit,
        int maxBytes,
        int maxValueBytes,
        @Nullable String cursor) {}
