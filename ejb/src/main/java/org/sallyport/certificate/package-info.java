/**
 * Whom the certificate of a caller stands for, where it stands for a key. Knows nothing of how certificates are checked: they come from a
 * handshake that has done it.
 */
@NullMarked
package org.sallyport.certificate;

import org.jspecify.annotations.NullMarked;
