package org.sallyport.secrets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.tool.Json;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.TenantVariable;
import org.sallyport.variable.UnsetVariable;
import org.sallyport.variable.VariablePinner;
import org.sallyport.variable.VariableStore;
import org.sallyport.variable.VariablesUnreadableException;

/** Pins variables, whose values may come from secrets, encrypted with the key of the secrets. Thread-safe. */
public final class SecretVariablePinner implements VariablePinner {
    private static final Logger LOG = System.getLogger(SecretVariablePinner.class.getName());
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String VALUES = "values";
    /** Member with the names of the variables whose values came from secrets. */
    private static final String FROM_SECRETS = "fromSecrets";

    private final VariableStore variables;
    private final SecretVault vault;
    private final int maxChars;

    /** @param maxChars maximum length of the names and the values of one execution together, in UTF-16 code units */
    public SecretVariablePinner(VariableStore variables, SecretVault vault, int maxChars) {
        this.variables = variables;
        this.vault = vault;
        this.maxChars = maxChars;
    }

    @Override
    public PinResult pin(String tenant, List<String> names) {
        if (names.isEmpty()) {
            return new PinResult.VariablesPinned(Optional.empty());
        }
        Map<String, TenantVariable> stored = new HashMap<>();
        variables.find(tenant, names).forEach(variable -> stored.put(variable.name(), variable));
        ObjectNode values = JSON.createObjectNode();
        ArrayNode fromSecrets = JSON.createArrayNode();
        StringBuilder versions = new StringBuilder();
        List<UnsetVariable> unset = new ArrayList<>();
        long chars = 0;
        for (String name : new TreeSet<>(names)) {
            TenantVariable variable = stored.get(name);
            if (variable == null) {
                unset.add(new UnsetVariable(name, Optional.empty()));
                continue;
            }
            versions.append(name).append(' ').append(variable.versionStamp()).append('\n');
            if (variable.source() instanceof TenantVariable.ValueSource.PlainValue plain) {
                values.put(name, plain.text());
                chars += name.length() + plain.text().length();
            } else if (variable.source() instanceof TenantVariable.ValueSource.SecretValue reference) {
                try {
                    Optional<SecretVault.SecretReading> secret = vault.read(tenant, reference.secret());
                    if (secret.isEmpty()) {
                        unset.add(new UnsetVariable(name, Optional.of(reference.secret())));
                    } else {
                        values.put(name, secret.get().value());
                        chars += name.length() + secret.get().value().length();
                        fromSecrets.add(name);
                        versions.append(secret.get().versionStamp()).append('\n');
                    }
                } catch (SecretKeyMissingException e) {
                    LOG.log(Level.WARNING, "tenant {0}: {1}", tenant, e.getMessage());
                    unset.add(new UnsetVariable(name, Optional.of(reference.secret()), true));
                }
            }
            if (chars > maxChars) {
                return new PinResult.VariablesOversized(maxChars);
            }
        }
        if (!unset.isEmpty()) {
            return new PinResult.VariablesUnset(unset);
        }
        ObjectNode pinned = JSON.createObjectNode();
        pinned.set(VALUES, values);
        pinned.set(FROM_SECRETS, fromSecrets);
        return new PinResult.VariablesPinned(Optional.of(
                new PinnedVariables(vault.encryptVariables(tenant, pinned.toString()), versions.toString())));
    }

    @Override
    public Json read(String tenant, PinnedVariables pinned) {
        try {
            JsonNode content = JSON.readTree(vault.decryptVariables(tenant, pinned.ciphertext()));
            JsonNode values = content.path(VALUES);
            List<String> secrets = new ArrayList<>();
            content.path(FROM_SECRETS)
                    .forEach(name -> secrets.add(values.path(name.asText()).asText()));
            vault.redactFromNowOn(tenant, secrets);
            return new Json(values.toString());
        } catch (SecretUnreadableException e) {
            throw new VariablesUnreadableException(String.valueOf(e.getMessage()));
        } catch (JsonProcessingException e) {
            // The cause would contain a part of the text.
            throw new VariablesUnreadableException("the variables of the execution are damaged");
        }
    }
}
