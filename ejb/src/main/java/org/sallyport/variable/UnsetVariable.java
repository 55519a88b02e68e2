package org.sallyport.variable;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A declared variable without a value, or with a value that this node cannot decrypt.
 *
 * @param name its name
 * @param secret the secret that the variable refers to and that has no readable value; empty when the variable is not
 *     set
 * @param keyMissing whether the secret is stored and this node does not have the key that encrypted it
 */
public record UnsetVariable(String name, Optional<String> secret, boolean keyMissing) {

    /** A variable that is not set, or whose secret is not stored or is damaged. */
    public UnsetVariable(String name, Optional<String> secret) {
        this(name, secret, false);
    }

    /** Says which variables lack a value, and with which command an administrator sets each of them. */
    public static String describe(List<UnsetVariable> unset) {
        return unset.stream().map(UnsetVariable::describe).collect(Collectors.joining("; "));
    }

    private String describe() {
        if (keyMissing) {
            return "the secret '" + secret.orElseThrow() + "' of the variable '" + name
                    + "' is encrypted with a key that a node of the service does not have (an administrator gives all"
                    + " nodes the same sallyport.secrets.keys or sallyport.secrets.key-file)";
        }
        return secret.map(missing -> "the secret '" + missing + "' of the variable '" + name
                        + "' is not stored or not readable (sallyport secrets set " + missing + ")")
                .orElseGet(() -> "the variable '" + name + "' is not set (sallyport variables set " + name + ")");
    }
}
