package org.sallyport.secrets;

class InMemorySecretStoreTest extends SecretStoreContract {
    private final InMemorySecretStore store = new InMemorySecretStore();

    @Override
    protected SecretStore store() {
        return store;
    }
}
