package org.sallyport.broker;

/**
 * Where the application, which lives behind another class loader, says which connectors may come to the embedded broker. It
 * answers nothing and shows nothing: who can call it in this process could as well read its memory.
 */
public interface ConnectorAccountsMXBean {

    /** Its name in this process. */
    String NAME = "org.sallyport:type=ConnectorAccounts";

    /** From now on the connector of {@code backend} gets in with that password and no other. */
    void admit(String backend, String password);

    /** The connector of {@code backend} does not get in any more; one that is in is put out. */
    void dismiss(String backend);
}
