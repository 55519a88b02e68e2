package org.sallyport.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects the profile of the server that {@link ServerExtension} gives to the tests of a class or to a parameter. The
 * default is {@link ServerProfile#PLAIN}.
 */
@Target({ElementType.TYPE, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface UseServer {
    ServerProfile value();
}
