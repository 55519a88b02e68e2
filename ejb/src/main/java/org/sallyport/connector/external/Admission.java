package org.sallyport.connector.external;

/** Who decides which connectors come to the broker. */
public interface Admission {

    /** The broker's own administrator has made accounts. */
    Admission ELSEWHERE = new Admission() {
        @Override
        public boolean needsPassword() {
            return false;
        }

        @Override
        public void admit(String backend, String password) {
            // Nothing is to be done here.
        }

        @Override
        public void dismiss(String backend) {
            // Nothing is to be done here.
        }
    };

    /** Whether a backend must have a password. */
    default boolean needsPassword() {
        return true;
    }

    /** Lets the connector of {@code backend} in with that password; {@link IllegalStateException} when that cannot be. */
    void admit(String backend, String password);

    /** Does not let the connector of {@code backend} in any more. */
    void dismiss(String backend);
}
