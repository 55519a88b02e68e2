package org.sallyport.connector.external;

import org.sallyport.secret.Redactor;

/** How the connectors of one backend get to the broker. */
interface ConnectorAccount {

    /** Lets them in; {@link IllegalStateException} saying why that cannot be. Returns what must be shown to nobody. */
    Redactor enable();

    /** Does not let them in any more. */
    void disable();
}
