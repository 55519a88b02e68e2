/**
 * Support for the tests of all modules: reports skipped tests, checks the prerequisites of tests, and issues
 * certificates. Knows no module of the service.
 */
@NullMarked
package org.sallyport.testsupport;

import org.jspecify.annotations.NullMarked;
