/**
 * Redacts secrets and personal data in texts and JSON, and restores redacted values in JSON that a person edited.
 * Knows neither how secrets are stored nor who redacts.
 */
@NullMarked
package org.sallyport.redaction;

import org.jspecify.annotations.NullMarked;
