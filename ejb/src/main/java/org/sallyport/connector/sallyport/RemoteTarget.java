package org.sallyport.connector.sallyport;

/**
 * What is called there.
 *
 * @param name with its backend, or with {@code capabilities}
 * @param repeatable whether a second call has no second effect: of what is offered, by what is said there; of a call, only if that counts here too
 */
record RemoteTarget(String name, boolean repeatable) {

    boolean isCapability() {
        return name.startsWith(ImportedNamespaces.CAPABILITIES_PREFIX);
    }

    /** The name that the capability has there. */
    String capabilityName() {
        return name.substring(ImportedNamespaces.CAPABILITIES_PREFIX.length());
    }
}
