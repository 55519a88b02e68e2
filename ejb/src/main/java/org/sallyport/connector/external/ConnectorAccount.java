package org.sallyport.connector.external;

import org.sallyport.redaction.Redactor;

/** The broker account of the connectors of one backend. */
interface ConnectorAccount {

    /**
     * Enables the account; throws {@link IllegalStateException} with the reason if this fails. Returns a redactor of
     * the account's secrets.
     */
    Redactor enable();

    /** Disables the account. */
    void disable();
}
