package org.sallyport.web.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.OPTIONS;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Settings;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/**
 * Authorizes callers by role. An operation without {@link RolesAllowed} is denied to every caller. The methods of a
 * path are no secret, so every client may ask for them by {@code OPTIONS}.
 */
@Provider
public class RoleFilter implements ContainerRequestFilter {
    @Context
    ResourceInfo operation;

    @Context
    HttpServletRequest request;

    @Override
    public void filter(ContainerRequestContext context) {
        if (asksForMethods(context)) {
            return;
        }
        Set<Role> allowed = allowedRoles(operation.getResourceMethod(), operation.getResourceClass());
        if (!(request.getAttribute(AuthenticationFilter.CALLER) instanceof Caller caller)
                || !hasAnyRole(caller, allowed)) {
            throw new ProblemException(ProblemType.FORBIDDEN, missingRoleDetail(allowed));
        }
        if (requiresOperatorTenant(operation.getResourceMethod())
                && request.getAttribute(AuthenticationFilter.OPERATOR_TENANT) == null) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "this is shared by all tenants, so only the tenant that operates the installation may use it (the"
                            + " server's "
                            + Settings.OPERATOR_TENANT.name() + ")");
        }
    }

    /** Whether the platform answers the request with the methods of the path, and no operation runs. */
    private boolean asksForMethods(ContainerRequestContext context) {
        return context.getMethod().equals(HttpMethod.OPTIONS)
                && !operation.getResourceMethod().isAnnotationPresent(OPTIONS.class);
    }

    /** Whether only callers of the operator tenant may call the operation. */
    public static boolean requiresOperatorTenant(Method method) {
        return method.isAnnotationPresent(OperatorTenantOnly.class);
    }

    /** Whether one of the caller's roles is among {@code allowed}. */
    public static boolean hasAnyRole(Caller caller, Set<Role> allowed) {
        return caller.roles().stream().anyMatch(allowed::contains);
    }

    /** The roles that may call an operation. */
    public static Set<Role> allowedRoles(Method method, Class<?> resource) {
        @Nullable RolesAllowed own = method.getAnnotation(RolesAllowed.class);
        // A proxy of a resource has the annotations of its methods, but not those of its class.
        @Nullable RolesAllowed said = own != null ? own : method.getDeclaringClass().getAnnotation(RolesAllowed.class);
        return roles(said != null ? said : resource.getAnnotation(RolesAllowed.class));
    }

    /** The roles that may use a class that is not a resource but carries {@link RolesAllowed}. */
    public static Set<Role> allowedRoles(Class<?> used) {
        return roles(used.getAnnotation(RolesAllowed.class));
    }

    private static Set<Role> roles(@Nullable RolesAllowed said) {
        if (said == null) {
            return Set.of();
        }
        Set<Role> roles = new TreeSet<>(Arrays.asList(said.value()));
        roles.add(Role.ADMIN);
        return roles;
    }

    /** The problem detail for a caller that has none of these roles. */
    public static String missingRoleDetail(Set<Role> allowed) {
        return allowed.isEmpty()
                ? "no role allows this"
                : "this needs the role "
                        + allowed.stream()
                                .map(role -> role.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(" or "));
    }
}
