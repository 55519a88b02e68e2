package org.sallyport.broker;

/**
 * Through this bean the application, which has another class loader, manages the connector accounts of the embedded
 * broker. It returns nothing: code that can call it could also read the memory of this process.
 */
public interface ConnectorAccountsMXBean {

    /** Object name in this process. */
    String NAME = "org.sallyport:type=ConnectorAccounts";

    /** Sets the password of the connector of {@code backend}; earlier passwords become invalid. */
    void admit(String backend, String password);

    /** Removes the account of the connector of {@code backend} and closes its connections. */
    void dismiss(String backend);
}
