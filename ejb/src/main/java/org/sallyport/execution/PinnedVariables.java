package org.sallyport.execution;

/**
 * The values of the variables that an execution sees as {@code env}, encrypted.
 *
 * @param ciphertext the encrypted values; differs each time, even for the same values
 * @param versions identifies the versions of the variables and of their secrets; empty in an execution that was read
 *     from the store
 */
public record PinnedVariables(String ciphertext, String versions) {

    /** Returns variables that were read from the store. */
    public static PinnedVariables ofStored(String ciphertext) {
        return new PinnedVariables(ciphertext, "");
    }
}
