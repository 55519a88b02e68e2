/**
 * Certificates and keys from files, which are read again when they change. The jar is also a Java agent of the server:
 * it supplies them to the listener of Payara, which by itself reads files only at its start. Knows only Java, and
 * nothing of the service, Payara or permissions.
 */
@NullMarked
package org.sallyport.tls;

import org.jspecify.annotations.NullMarked;
