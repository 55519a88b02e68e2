/**
 * Shared by the tests of all modules: reports skipped tests, checks what tests need from the machine and issues
 * certificates. Knows no module of the service.
 */
@NullMarked
package org.sallyport.testsupport;

import org.jspecify.annotations.NullMarked;
