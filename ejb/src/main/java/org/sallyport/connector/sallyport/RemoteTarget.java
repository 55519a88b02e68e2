package org.sallyport.connector.sallyport;

/**
 * A tool or capability of the remote installation.
 *
 * @param name with the prefix of its backend, or {@code capabilities}
 * @param repeatable whether a second call has no second effect: for an imported tool, as the remote installation
 *     declares it; for a call, only if the local settings trust this too
 */
record RemoteTarget(String name, boolean repeatable) {

    boolean isCapability() {
        return name.startsWith(ImportedNamespaces.CAPABILITIES_PREFIX);
    }

    /** The remote name of the capability. */
    String capabilityName() {
        return name.substring(ImportedNamespaces.CAPABILITIES_PREFIX.length());
    }
}
