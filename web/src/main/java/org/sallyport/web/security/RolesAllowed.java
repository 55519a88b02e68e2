package org.sallyport.web.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.sallyport.access.Role;

/**
 * Who may call an operation, or all operations of a resource that do not say so themselves: callers with at least one of these
 * roles. {@link Role#ADMIN} may call all that anybody may. Without it nobody may call an operation.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RolesAllowed {
    /** The roles, besides {@link Role#ADMIN}. */
    Role[] value();
}
