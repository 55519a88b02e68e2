package org.sallyport.connector.external;

/** Who decides which connectors come to the broker. */
public interface ConnectorAccounts {

    /** The broker's own administrator has made accounts. */
    ConnectorAccounts MANAGED_ELSEWHERE = new ConnectorAccounts() {
        @Override
        public boolean isManagedHere() {
            return false;
        }

        @Override
        public void addAccount(String backend, String password) {
            // Nothing is to be done here.
        }

        @Override
        public void removeAccount(String backend) {
            // Nothing is to be done here.
        }
    };

    /** Whether it is the service, so that a backend must have a password. */
    default boolean isManagedHere() {
        return true;
    }

    /**
     * Whether the broker keeps for certain a call that a connector has had from everybody else. That of somebody else may give
     * it again as if nobody had had it.
     */
    default boolean guaranteesSingleDelivery() {
        return isManagedHere();
    }

    /** Lets the connector of {@code backend} in with that password; {@link IllegalStateException} when that cannot be. */
    void addAccount(String backend, String password);

    /** Does not let the connector of {@code backend} in any more. */
    void removeAccount(String backend);
}
