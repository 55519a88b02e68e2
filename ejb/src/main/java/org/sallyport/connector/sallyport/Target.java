package org.sallyport.connector.sallyport;

/**
 * What is called there.
 *
 * @param name with its backend, or with {@code capabilities}
 * @param repeatable whether a second call has no second effect: of what is offered, by what is said there; of a call, only if that counts here too
 */
record Target(String name, boolean repeatable) {

    boolean isCapability() {
        return name.startsWith(Namespaces.CAPABILITIES);
    }

    /** The name that the capability has there. */
    String capability() {
        return name.substring(Namespaces.CAPABILITIES.length());
    }
}
