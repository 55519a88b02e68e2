package org.sallyport.web.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an operation on resources that all tenants share. In addition to the role, the caller must belong to the tenant
 * that operates the installation ({@code sallyport.tenants.operator}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OperatorTenantOnly {}
