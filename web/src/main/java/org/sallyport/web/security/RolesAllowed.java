package org.sallyport.web.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.sallyport.auth.Role;

/**
 * The roles that may call an operation, or all operations of a resource that have no annotation of their own. A caller
 * needs at least one of them. {@link Role#ADMIN} may call every operation that carries this annotation. An operation
 * without it is denied to every caller.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RolesAllowed {
    /** The roles, in addition to {@link Role#ADMIN}. */
    Role[] value();
}
