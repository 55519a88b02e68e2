package org.sallyport.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Asks {@link Servers} for the server that tests may kill: it is started again for the next test. It holds {@link
 * Servers#EXPENDABLE_PLACES} executions at one time, so that it is easily full.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Expendable {}
