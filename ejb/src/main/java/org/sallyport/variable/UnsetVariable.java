package org.sallyport.variable;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A declared variable without a value.
 *
 * @param name its name
 * @param secret the secret that the variable refers to and that has no readable value; empty when the variable is not
 *     set
 */
public record UnsetVariable(String name, Optional<String> secret) {

    /** Says which variables lack a value, and with which command an administrator sets each of them. */
    public static String describe(List<UnsetVariable> unset) {
        return unset.stream().map(UnsetVariable::describe).collect(Collectors.joining("; "));
    }

    private String describe() {
        return secret.map(missing -> "the secret '" + missing + "' of the variable '" + name
                        + "' is not stored or not readable (sallyport secrets set " + missing + ")")
                .orElseGet(() -> "the variable '" + name + "' is not set (sallyport variables set " + name + ")");
    }
}
