package org.sallyport.web.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Role;
import org.sallyport.web.openapi.ApiOperations;

/**
 * The roles that may use each operation, according to the classes and to {@code docs/roles.md}. Another test covers
 * enforcement by the service.
 */
class RoleDocumentationTest {
    private static final Path PAGE = Path.of("..", "docs", "roles.md");

    @Test
    void rolesOfTheClassesMatchThePage() throws IOException {
        String page = page();
        if (Boolean.getBoolean("regenerate")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    @Test
    void everyOperationIsAllowedToAdministrators() {
        ApiOperations.resourceMethods()
                .forEach((operation, method) ->
                        assertThat(allowed(method)).as(operation).contains(Role.ADMIN));
    }

    @Test
    void auditorsMayOnlyRead() {
        ApiOperations.resourceMethods().forEach((operation, method) -> {
            if (!operation.startsWith("GET ")) {
                assertThat(allowed(method)).as(operation).doesNotContain(Role.AUDITOR);
            }
        });
    }

    private static Set<Role> allowed(Method method) {
        return RoleFilter.allowedRoles(method, method.getDeclaringClass());
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Access control

                This page lists the operations that each role may use. A test creates it from the annotations of the
                resource classes, which the service enforces. A caller may use an operation if one of the roles of its
                key or token allows it. A caller sees only its own tenant: for an object of another tenant, the service
                answers `404`.

                Without a valid key or token, the service answers `401`, with these exceptions:

                - `/health`, which then shows no details;
                - the files of the console, which contain no data, and its login pages;
                - `POST /console/approval-link`, which shows and decides one approval by the secret of a
                  [link](policies.md#links);
                - `POST /hooks/TOKEN`, a delivery to an [inbound webhook](inbound-webhooks.md) by the secret in its
                  address;
                - `OPTIONS` of a path below `/api/v1`, which answers with its methods in `Allow`, and of `/mcp`,
                  `/openapi` and `/metrics`, which answers `405` with them.

                Every caller with a valid key or token may read `/openapi`.

                † marks operations on what all tenants share. Only callers of the tenant in
                `sallyport.tenants.operator` (`default`) may use them.

                """);
        page.append("| operation |");
        Arrays.stream(Role.values())
                .forEach(role -> page.append(' ')
                        .append(role.name().toLowerCase(Locale.ROOT))
                        .append(" |"));
        page.append("\n|---|").append("---|".repeat(Role.values().length)).append('\n');
        for (Map.Entry<String, Method> operation :
                ApiOperations.resourceMethods().entrySet()) {
            Set<Role> allowed = allowed(operation.getValue());
            page.append("| `")
                    .append(operation.getKey())
                    .append(RoleFilter.requiresOperatorTenant(operation.getValue()) ? "` † |" : "` |")
                    .append(Arrays.stream(Role.values())
                            .map(role -> allowed.contains(role) ? " yes |" : " no |")
                            .collect(Collectors.joining()))
                    .append('\n');
        }
        return page.toString();
    }
}
