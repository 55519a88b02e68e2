package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.ApiKey;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ApiKeyStore;
import org.sallyport.auth.Role;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class ApiKeysResourceTest {
    private static final ApiKey EXPIRED =
            new ApiKey("k", "t", "name", "hash", Set.of(Role.SUBMITTER), Optional.of(Instant.EPOCH));

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject them
    private static ApiKeysResource resource(int keys) {
        ApiKeyStore store = (ApiKeyStore) Proxy.newProxyInstance(
                ApiKeyStore.class.getClassLoader(), new Class<?>[] {ApiKeyStore.class}, (proxy, called, given) -> {
                    assertThat(called.getName()).isEqualTo("list");
                    return Collections.nCopies(keys, EXPIRED);
                });
        ApiKeysResource resource = new ApiKeysResource();
        resource.keys = new ApiKeyService(store, Instant::now, new SecureRandom());
        return resource;
    }

    @Test
    void numberOfKeysOfATenantIsLimited() {
        assertThatCode(() -> resource(999).requireOneMoreAllowed("t")).doesNotThrowAnyException();
        assertThatThrownBy(() -> resource(1_000).requireOneMoreAllowed("t"))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().type()).isEqualTo(ProblemType.TOO_MANY_KEYS);
                    assertThat(e.problem().members().path("limit").asInt()).isEqualTo(1_000);
                });
    }

    @Test
    void grantsOfAKeyAreLimitedTogether() {
        ObjectNode body = ExecutionMapper.object();
        List<String> grants = Collections.nCopies(32, "x".repeat(256));
        grants.forEach(body.putArray("grants")::add);
        assertThat(SubmissionReader.storedGrants(new JsonMembers(body))).contains(grants);

        body.withArray("grants").add("y");
        assertThatThrownBy(() -> SubmissionReader.storedGrants(new JsonMembers(body)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("8192");
    }
}
