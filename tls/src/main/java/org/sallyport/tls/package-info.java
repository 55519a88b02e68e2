/**
 * Certificates and keys from files, which are read again when they change. The jar is also an agent of the server's Java VM: it
 * gives them to the listener of Payara, which knows of files only what they hold when it begins. Knows Java alone, nothing of the
 * service, of Payara or of who may do what.
 */
@NullMarked
package org.sallyport.tls;

import org.jspecify.annotations.NullMarked;
