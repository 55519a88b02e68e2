package org.sallyport.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Which kind of server {@link ServerExtension} gives to the tests of a class, or to a parameter; {@link ServerProfile#PLAIN} without it. */
@Target({ElementType.TYPE, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface UseServer {
    ServerProfile value();
}
