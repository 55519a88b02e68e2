package org.sallyport.connector;

import org.sallyport.catalog.BackendStore;
import org.sallyport.catalog.BackendStoreContract;

/** The store of the tests of connectors behaves like the database. */
class InMemoryBackendStoreTest extends BackendStoreContract {
    private final InMemoryBackendStore store = new InMemoryBackendStore();

    @Override
    protected BackendStore store() {
        return store;
    }
}
