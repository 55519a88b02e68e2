package org.sallyport.connector.external;

/** Manages the broker accounts of external connectors. */
public interface ConnectorAccounts {

    /** The broker's own administrator manages the accounts. */
    ConnectorAccounts MANAGED_ELSEWHERE = new ConnectorAccounts() {
        @Override
        public boolean isManagedHere() {
            return false;
        }

        @Override
        public void addAccount(String backend, String password) {
            // Accounts are managed outside the service.
        }

        @Override
        public void removeAccount(String backend) {
            // Accounts are managed outside the service.
        }
    };

    /** Whether the service manages the accounts, so that a backend must have a password. */
    default boolean isManagedHere() {
        return true;
    }

    /**
     * Whether the broker guarantees that a call which a connector received is delivered to no other consumer. A broker
     * that is managed elsewhere may redeliver it as if it had not been delivered.
     */
    default boolean guaranteesSingleDelivery() {
        return isManagedHere();
    }

    /**
     * Adds the account of the connectors of {@code backend} with that password; throws {@link IllegalStateException} if
     * this fails.
     */
    void addAccount(String backend, String password);

    /** Removes the account of the connectors of {@code backend}. */
    void removeAccount(String backend);
}
