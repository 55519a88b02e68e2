package org.sallyport.secret;

class MemorySecretsTest extends SecretStoreContract {
    private final MemorySecrets store = new MemorySecrets();

    @Override
    protected SecretStore store() {
        return store;
    }
}
