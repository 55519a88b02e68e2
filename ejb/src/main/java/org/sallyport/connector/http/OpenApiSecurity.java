package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.connector.InvalidBackendException;

/**
 * Chooses the credentials of operations by their security requirements: those of the first alternative whose schemes
 * all have a credential, or a header of the settings in its place. An operation gets no other credential. A credential
 * that would be sent in the query is never sent; an operation that needs it cannot be called.
 */
final class OpenApiSecurity {
    private static final String SECURITY = "security";

    private final ImportedOpenApiDocument document;
    private final Map<String, HttpCredential> credentials = new LinkedHashMap<>();
    /** Names of the schemes with a configured credential that would be sent in the query. */
    private final Set<String> schemesInQuery;

    private final Set<String> configuredHeaders = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /**
     * The credentials of one operation.
     *
     * @param schemes names of the security schemes whose credentials are sent; empty if all are sent
     * @param problem why no credential is sent although one is required, or could be sent
     * @param unusable whether the operation cannot be called because of the problem
     */
    record CredentialSelection(Optional<Set<String>> schemes, Optional<String> problem, boolean unusable) {
        private static CredentialSelection of(Set<String> schemes) {
            return new CredentialSelection(Optional.of(schemes), Optional.empty(), false);
        }

        private static CredentialSelection none(String problem, boolean unusable) {
            return new CredentialSelection(
                    Optional.of(Set.of()), Optional.of(ImportedOpenApiDocument.truncate(problem)), unusable);
        }
    }

    /**
     * @param given the configured credentials by the names of security schemes
     * @param configured names of the headers that the settings of the backend add to requests
     */
    OpenApiSecurity(ImportedOpenApiDocument document, Map<String, String> given, Set<String> configured) {
        this.document = document;
        HttpCredential.of(document, given).forEach(credential -> credentials.put(credential.scheme(), credential));
        schemesInQuery = new LinkedHashSet<>(given.keySet());
        schemesInQuery.removeAll(credentials.keySet());
        configuredHeaders.addAll(configured);
    }

    List<HttpCredential> credentials() {
        return List.copyOf(credentials.values());
    }

    /** Names in lower case of the headers that arguments do not replace. */
    Set<String> reservedHeaders() {
        Set<String> reserved = new LinkedHashSet<>();
        configuredHeaders.forEach(name -> reserved.add(name.toLowerCase(Locale.ROOT)));
        credentials
                .values()
                .forEach(credential -> reserved.add(credential.header().toLowerCase(Locale.ROOT)));
        return reserved;
    }

    /** Returns the credentials of an operation; its own requirements take precedence over those of the document. */
    CredentialSelection select(JsonNode operation) {
        JsonNode required = operation.path(SECURITY).isArray()
                ? operation.path(SECURITY)
                : document.root().path(SECURITY);
        if (!required.isArray()) {
            return selectWithoutRequirement();
        }
        boolean optional = required.isEmpty();
        boolean inQuery = false;
        List<String> problems = new ArrayList<>();
        for (JsonNode alternative : required) {
            document.countSteps(1L + alternative.size());
            Set<String> schemes = new LinkedHashSet<>();
            alternative.fieldNames().forEachRemaining(schemes::add);
            Optional<String> problem = findProblem(schemes);
            if (schemes.isEmpty()) {
                optional = true;
            } else if (problem.isEmpty()) {
                schemes.retainAll(credentials.keySet());
                return CredentialSelection.of(schemes);
            } else {
                problems.add(problem.get());
                inQuery |= schemes.stream().anyMatch(schemesInQuery::contains);
            }
        }
        return optional && !inQuery
                ? CredentialSelection.of(Set.of())
                : CredentialSelection.none(String.join("; or ", problems), inQuery && !optional);
    }

    /** A document without any requirement gets all credentials, because an administrator configured them. */
    private CredentialSelection selectWithoutRequirement() {
        return findProblemOfAll()
                .map(problem -> CredentialSelection.none(
                        "the document does not say which is required, and " + problem, !schemesInQuery.isEmpty()))
                .orElseGet(() -> new CredentialSelection(Optional.empty(), Optional.empty(), false));
    }

    /** Returns why a request cannot have all credentials; empty if it can. */
    Optional<String> findProblemOfAll() {
        return findKeyInQuery(schemesInQuery).or(() -> findConflict(credentials.keySet()));
    }

    private Optional<String> findKeyInQuery(Set<String> schemes) {
        return schemes.stream()
                .filter(schemesInQuery::contains)
                .findFirst()
                .map(scheme -> "'" + ImportedOpenApiDocument.abbreviate(scheme)
                        + "' would be sent in the query, where others may see it");
    }

    /** Returns why a request cannot have the credentials of all these schemes; empty if it can. */
    private Optional<String> findProblem(Set<String> schemes) {
        Optional<String> inQuery = findKeyInQuery(schemes);
        if (inQuery.isPresent()) {
            return inQuery;
        }
        List<String> missing = schemes.stream()
                .filter(scheme -> !credentials.containsKey(scheme) && !isConfiguredAsHeader(scheme))
                .map(scheme -> "'" + ImportedOpenApiDocument.abbreviate(scheme) + "'")
                .toList();
        return missing.isEmpty()
                ? findConflict(schemes)
                : Optional.of("no credential is set for " + String.join(" and ", missing));
    }

    private boolean isConfiguredAsHeader(String scheme) {
        try {
            return HttpCredential.headerName(document.securityScheme(scheme))
                    .filter(configuredHeaders::contains)
                    .isPresent();
        } catch (InvalidBackendException e) {
            return false; // its reference leads nowhere; another alternative may be complete
        }
    }

    /** Returns which two credentials would be sent in the same header; empty if there are none. */
    private Optional<String> findConflict(Set<String> schemes) {
        Map<String, String> schemesByHeader = new LinkedHashMap<>();
        for (String scheme : schemes) {
            HttpCredential credential = credentials.get(scheme);
            if (credential != null && !credential.isCookie()) {
                String other = schemesByHeader.putIfAbsent(credential.header().toLowerCase(Locale.ROOT), scheme);
                if (other != null) {
                    return Optional.of("'" + other + "' and '" + scheme + "' would be sent in the same header '"
                            + credential.header() + "'");
                }
            }
        }
        return Optional.empty();
    }
}
