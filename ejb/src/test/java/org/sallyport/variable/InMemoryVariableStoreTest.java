package org.sallyport.variable;

/** The store of the tests fulfills the contract of the store. */
class InMemoryVariableStoreTest extends VariableStoreContract {
    private final VariableStore store = new InMemoryVariableStore();

    @Override
    protected VariableStore store() {
        return store;
    }
}
