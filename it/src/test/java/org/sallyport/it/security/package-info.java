/**
 * Hostile input: attacks on a running service, each with its expected result. A bystander load measures the service
 * during the attacks, and canaries are planted in all places that a script must not read. Cases are data: scripts lie
 * in {@code *.rows} files beside this package, other cases are small methods.
 *
 * <p>{@code ./mvnw verify} runs the fast cases, {@code ./sallyport hostile} all of them; {@code docs/security-tests.md}
 * explains the resulting table. Knows the service as its callers do, and its processes as the operating system shows
 * them.
 */
@NullMarked
package org.sallyport.it.security;

import org.jspecify.annotations.NullMarked;
