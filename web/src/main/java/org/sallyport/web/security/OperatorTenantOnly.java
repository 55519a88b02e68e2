package org.sallyport.web.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An operation on what all tenants share: besides their role, callers need to be of the tenant that operates the installation
 * ({@code sallyport.tenants.operating}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OperatorTenantOnly {}
