package org.sallyport.connector.external;

import org.sallyport.secret.Redaction;

/** How the connectors of one backend get to the broker. */
interface Entry {

    /** Lets them in; {@link IllegalStateException} saying why that cannot be. Returns what must be shown to nobody. */
    Redaction open();

    /** Does not let them in any more. */
    void close();
}
