/**
 * Shared by the tests of all modules: reports skipped tests and checks what tests need from the machine. Knows no module
 * of the service.
 */
@NullMarked
package org.sallyport.testsupport;

import org.jspecify.annotations.NullMarked;
